/** Frequent words weigh little by themselves; these would still count on a short page. */
export const commonWords: ReadonlySet<string> = new Set(
  wordsIn(`a an and are as at be by can did do does for from had has have how i in is it its me my of on or should so than
  that the their there these they this to vs was we were what when where which who why will with would you your
  der die das ein eine und ist wie was le la les un une des et est que el los las es y en de
  ما من هو هي هل متى أين كيف كم لماذا في على إلى عن مع التي الذي هذا هذه كان كانت`),
)

/**
 * Words that say little: what kind of thing is asked for in English (the type of a city, what is called so), and what
 * joins words, in English, Spanish, Romanian, Greek, Turkish, Hindi and Vietnamese.
 */
export const generalWords: ReadonlySet<string> = new Set(
  wordsIn(`type types kind name names term word group called known used use made make first main part example person people
  place city country state time year years number percentage many much two one most more other another following during
  after before between considered according besides addition given said thing became become happened happen found mean
  means refer describe usually generally cause result reason purpose way
  about above again against all along also although am among any anyone anything around away back because been being below
  both but cannot could despite down due each either else even ever every few further get gets getting goes got he her here
  hers herself him himself his if into itself just let like likely may maybe might must near neither no nor not now off
  often once ones only onto others our ours out over own per perhaps quite rather really same say see seem shall she since
  some somebody someone something sometimes still such them themselves then therefore things though through throughout thus
  too toward towards under until unto up upon us very via want well went whatever whenever wherever whether while whoever
  whole whom whose within without yet
  por para con sin sobre entre se su sus uno unas del al lo qué quién quiénes cuál cuáles cuándo cuánto cuántos cuánta cuántas dónde
  cómo fue fueron era eran ser ha han había este esta estos estas hay más o a como
  ce care cine când unde cum cât câte câți în pe cu din pentru o unei unui ale al ai sunt este era erau fost fi se sau și mai
  lui lor sa să au cărui cărei căror prin
  τι ποιος ποια ποιο ποιοι ποιες ποιον ποιου πότε πού πώς πόσο πόσα πόσοι πόσες ο η το οι τα του της των τον την στο στη
  στην στον στα στις με σε για από και είναι ήταν που να ένα μια ένας έχει είχε κατά ως
  ne neden nerede nereye hangi kim kime kimin kaç nasıl zaman bir bu şu ve ile için olarak olan oldu olduğu da mi mı mu mü
  kadar çok daha göre
  क्या कौन किस किसने किसे किसका किसकी किसके कब कहाँ कहां कैसे क्यों कितने कितना कितनी का की के को में से पर ने है हैं था थी थे और या एक यह
  वह इस उस कौनसा कौनसी द्वारा लिए साथ जो किया गया गई हुआ हुई
  gì nào đâu khi sao bao nhiêu của là và các những có được bị cho với trong trên ở từ đến theo về cái này đó thì mà ra vào
  tại bởi như`),
)

/** English words that may stand for one another, with the forms of irregular verbs. */
export const relatedWords: readonly (readonly string[])[] = `die death dead|found establish create
  invent create design develop|compose composer composition|write wrote written author
  start begin began begun launch open|leave left depart|big large size area|tall height high|fast speed rapid|rich wealth
  speak spoke spoken language|buy bought purchase acquire|own owner bought purchase acquire|cost price worth expensive fee
  choose chose chosen select elect|take took taken|come came|see saw seen|fall fell fallen collapse|run ran operate
  bring brought|become became|send sent|fly flew flown flight|win won victory defeat beat|lose lost loss
  attack invade assault raid|escape flee fled|help assist aid support|need require necessary|allow permit enable
  use utilize employ|split divide separate|increase rise rose grow grew|decrease decline reduce|cause result lead led
  locate situate lies|live inhabit reside dwell habitat|marry wife husband marriage spouse|common frequent usual typical
  important significant major|annual year|number amount total quantity|land territory region|law legislation statute
  team club|mountain peak|climate weather|doctor physician`
  .split(/[|\n]/)
  .map(wordsIn)

/**
 * Words that begin a sentence with what the one before it says: in English, German, Spanish, French, Romanian, Greek,
 * Turkish, Russian, Arabic, Hindi and Vietnamese.
 */
export const backReferences: readonly string[] =
  wordsIn(`It He She They This These Those His Her Its Their Such Both Another However Instead Also Thus Therefore Then But
  And In_this In_these In_such At_this At_that For_this For_these For_example The_latter The_former
  Er Sie Es Dies Diese Dieser Dieses Diesen Sein Seine Ihr Ihre Dabei Dadurch Damit Daher Deshalb Doch Dazu Danach Auch Außerdem
  Jedoch Allerdings Letztere Este Esta Esto Estos Estas Ese Esa Él Ella Ellos Ellas Su Sus También Además Sin_embargo Pero Así
  Elle Ils Elles Ce Cette Ces Cet Son Sa Ses Leur Leurs Mais Ea Ei Ele Acesta Aceasta Aceștia Acestea Acest Această Aceste
  Acești Astfel De_asemenea Însă Dar Totuși Αυτό Αυτή Αυτός Αυτοί Αυτές Αυτά Ωστόσο Επίσης Όμως Αλλά Έτσι
  Bu Bunlar Bunun Onlar Onun Ancak Ayrıca Böylece Fakat
  Он Она Оно Они Это Этот Эта Эти Его Её Ее Их Также Однако Но Кроме_того Такие Такой Таким Поэтому
  هذا هذه هؤلاء هو هي هم كما وقد وكان وكانت وهو وهي لكن ولكن ومع كذلك وهذا وهذه
  यह ये वह वे इस इन उस उन इसके इसकी इसका इसे इसने उन्होंने उनके उनकी उसके लेकिन हालाँकि हालांकि इसलिए
  Nó Họ Ông Bà Điều_này Những Đây Tuy_nhiên Nhưng Ngoài_ra Do_đó Vì_vậy`)

function wordsIn(text: string): readonly string[] {
  return text.split(/\s+/)
}
