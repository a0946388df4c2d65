/**
 * Names that stand for one another and have too few letters in common to tell: countries and their people, short forms, names
 * of places that changed. Parts of a name are joined by `_`.
 */
const table = `us usa america american americans united_states united_states_of_america washington ee_uu estados_unidos etats_unis vereinigte_staaten eeuu eua norteamericano estadounidense estadounidenses americano americana americanos americanas stati_uniti americani americane americain americaine americains americaines vs verenigde_staten amerika amerikaans amerikaanse vereinigten_staaten amerikanische amerikanischen stany_zjednoczone stanow_zjednoczonych stanach_zjednoczonych amerykanski amerykanska amerykanskie amerykanskich сша соединенные_штаты соединенных_штатов соединенных_штатах америка америки америке американскии американская американские американских
uk britain british briton britons united_kingdom great_britain england english reino_unido regno_unito royaume_uni verenigd_koninkrijk vereinigten_konigreich grossbritannien gran_bretana gran_bretagna grande_bretagne gra_bretanha inglaterra inghilterra angleterre engeland anglia anglii britannico britannica britanico britanica britannique britse brits ingles inglese anglais engelse wielka_brytania wielkiej_brytanii brytyjski brytyjska brytyjskie великобритания великобритании британии британскии британская англия англии
eu european_union europe european europaische_union union_europeenne union_europea ue unione_europea uniao_europeia europese_unie unia_europejska unii_europejskiej ес европеискии_союз европеиского_союза евросоюз
un united_nations vereinte_nationen nations_unies naciones_unidas onu vn nacoes_unidas nazioni_unite verenigde_naties onz narodow_zjednoczonych оон объединенных_нации
ussr soviet_union soviet soviets udssr sowjetunion urss zsrr ссср union_sovietique union_sovietica unione_sovietica uniao_sovietica sovjet_unie советскии_союз советского_союза советском_союзе советская
uae emirates emirati emiratis united_arab_emirates
poland polish pole poles
spain spanish spaniard spaniards espana espanol espagne espanola spagna spagnolo spagnola espanha espanhol espanhola spanje spaanse spaans spanien spanisch spanische hiszpania hiszpanii испания испании
france french frenchman
norway norwegian norwegians
sweden swedish swede swedes
denmark danish dane danes
finland finnish finn finns
ireland irish eire
scotland scottish scots scot
wales welsh
netherlands dutch holland paises_bajos holanda paises_baixos paesi_bassi olanda pays_bas nederland nederlandse neerlandes holandes olandese neerlandais niederlande niederlanden niederlandische holandia нидерланды голландия
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
russia russian russians kremlin russische rusland russisch russo russa ruso rusa russe россия россии россию россииская россиискии россииские
china chinese prc chine chinois
hong_kong hongkong
iceland icelandic icelander
iaea aiea oiea maea магатэ iaeo
nato otan нато
mexico mexicaanse mexicaans mexicano mexicana messico messicano mexique mexicain mexicaine
fla florida
calif california
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
