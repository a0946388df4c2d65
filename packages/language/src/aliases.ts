/**
 * Names that stand for one another and have too few letters in common to tell: countries and their people, short forms, names
 * of places that changed. Parts of a name are joined by `_`.
 */
const table = `us usa america american americans united_states united_states_of_america washington ee_uu estados_unidos etats_unis vereinigte_staaten
uk britain british briton britons united_kingdom great_britain england english
eu european_union europe european europaische_union union_europeenne union_europea
un united_nations vereinte_nationen nations_unies naciones_unidas onu
ussr soviet_union soviet soviets udssr sowjetunion
uae emirates emirati emiratis united_arab_emirates
poland polish pole poles
spain spanish spaniard spaniards espana espanol espagne
france french frenchman
norway norwegian norwegians
sweden swedish swede swedes
denmark danish dane danes
finland finnish finn finns
ireland irish eire
scotland scottish scots scot
wales welsh
netherlands dutch holland
switzerland swiss suisse schweiz
greece greek greeks hellenic
turkey turkish turk turks turkiye turkei
portugal portuguese
belgium belgian belgians
cyprus cypriot cypriots
lebanon lebanese
philippines philippine filipino filipina filipinos
myanmar burma burmese
czech czechia czech_republic
afghanistan afghan afghans
kazakhstan kazakh kazakhs
uzbekistan uzbek uzbeks
tajikistan tajik tajiks
kyrgyzstan kyrgyz
turkmenistan turkmen
congo congolese drc
ivory_coast cote_d_ivoire ivorian
saudi saudi_arabia ksa saudis
new_zealand kiwi nz
germany german germans deutschland deutsche deutscher deutschen brd allemagne allemand
russia russian russians kremlin russische
china chinese prc chine chinois
hong_kong hongkong
iceland icelandic icelander
wien vienna viennese wiener
koln cologne
munchen munich
roma rome roman
napoli naples neapolitan
venezia venice venetian
firenze florence florentine
milano milan
kobenhavn copenhagen
praha prague prag
warszawa warsaw
moskva moscow moskau
kyiv kiev
kharkiv kharkov
odesa odessa
lviv lvov lemberg
mumbai bombay
kolkata calcutta
chennai madras
bengaluru bangalore
beijing peking
guangzhou canton
yangon rangoon
istanbul constantinople
nyc new_york new_york_city
la los_angeles
dc washington
facebook meta
twitter x
bill william will billy willie
bob robert rob bobby robbie
dick richard rick rich ricky
jim james jimmy jamie
joe joseph joey
mike michael mick
tom thomas tommy
tony anthony antony
dave david
dan daniel danny
chris christopher christine christina
alex alexander alexandra sasha
ben benjamin benny
sam samuel samantha sammy
matt matthew
steve steven stephen
ed edward eddie ted
kate katherine catherine kathryn katie kathy cathy
liz elizabeth beth betty
jack john johnny
peggy margaret maggie meg
andy andrew drew
nick nicholas
greg gregory
jeff jeffrey geoffrey geoff
ken kenneth kenny
larry lawrence laurence
pat patrick patricia
ron ronald ronnie
don donald donny
sue susan
tim timothy
vladimir volodymyr
jon jonathan
charlie charles chuck
harry harold henry
frank francis franklin
fred frederick alfred
gus august augustus
hank henry
kim kimberly
max maximilian maxwell
nate nathan nathaniel
pete peter
phil philip phillip
ray raymond
vic victor
walt walter
zach zachary`

const rows = table.split('\n').map((row) => row.split(' ').map((name) => name.split('_')))
const byName = new Map<string, (readonly string[])[]>()
for (const row of rows) {
  for (const name of row) {
    const others = row.filter((other) => other !== name)
    byName.set(name.join(' '), [...(byName.get(name.join(' ')) ?? []), ...others])
  }
}

/** What else a name is called: the folded words of each other name. `name`: folded, its parts joined by a space. */
export function aliasesOf(name: string): readonly (readonly string[])[] {
  return byName.get(name) ?? []
}

/** Whether folded words are a name that the table has: of a country, a town or a person. */
export function isKnownName(name: string): boolean {
  return byName.has(name) || places.has(name)
}

/** Places of which many sentences speak first. */
const places: ReadonlySet<string> = new Set(
  `argentina australia austria brazil bulgaria canada chile colombia croatia cuba egypt estonia ethiopia hungary india indonesia iran
  iraq israel italy japan kenya latvia lithuania luxembourg malaysia mexico morocco nigeria pakistan peru romania serbia singapore
  slovakia slovenia sudan syria thailand tunisia ukraine venezuela vietnam zimbabwe
  amsterdam ankara athens atlanta auckland baghdad bangkok barcelona belgrade berlin boston bogota brisbane brussels bucharest
  budapest cairo canberra caracas chicago dallas delhi denver detroit dubai dublin edinburgh frankfurt geneva glasgow hamburg
  hanoi havana helsinki houston jakarta jerusalem johannesburg karachi lagos lahore lima lisbon london lyon madrid manchester
  manila marseille melbourne miami minneapolis montreal nairobi oslo ottawa paris philadelphia phoenix pittsburgh riyadh
  santiago seattle seoul shanghai stockholm stuttgart sydney taipei tallinn tehran tokyo toronto tunis turin vancouver vilnius
  zurich bergen bilbao bologna bordeaux bremen dresden leipzig lille malmo porto rotterdam sevilla valencia`.split(
    /\s+/,
  ),
)
