import type { PairPage } from './pair-page.ts'

export const de: readonly PairPage[] = [
  {
    half: 'tuning',
    page: `# Talsperre Hellental: Sanierung dauert länger

Die Sanierung der Talsperre Hellental wird frühestens im Herbst 2027 abgeschlossen. Das teilte der Wasserverband Oberharz am 9. Februar 2025 mit. Die Staumauer aus dem Jahr 1931 ist 62 Meter hoch und 310 Meter lang; der See fasst 24 Millionen Kubikmeter Wasser und versorgt rund 280.000 Menschen.

Die Kosten stiegen um 18 Prozent auf 96 Millionen Euro. Der Anteil des Landes wächst um vier Prozentpunkte auf 34 Prozent. Ursprünglich hatte der Verband mit höchstens 80 Millionen Euro gerechnet. Die Stadt Rehburg beteiligt sich nicht an den Kosten.

Vor Beginn der Arbeiten wurde der Pegel um 7 Meter gesenkt. Im Januar fiel die Temperatur am Damm auf −14 Grad, sodass neun Tage lang nicht betoniert werden konnte. Die Pumpen fördern 450 Liter in der Sekunde.

Verbandschefin Petra Wolff kritisierte Umweltminister Jonas Brandt scharf. „Wir warten seit mehr als einem Jahr auf die Genehmigung“, sagte sie. Brandt hatte Wolff im Dezember zu einem Gespräch eingeladen, das sie absagte. Die Firma Tiefbau Kern hat den Auftrag gewonnen, die Firma Marx Beton ging leer aus.

Angler dürfen den See nicht mehr betreten. Mindestens 1.200 Forellen wurden umgesetzt, jede von ihnen im Schnitt 350 Gramm schwer. Das Kraftwerk mit einer Leistung von 4,5 Megawatt bleibt bis Mai abgeschaltet.`,
    right: [
      ['unit', 'Das Kraftwerk an der Talsperre hat eine Leistung von 4.500 Kilowatt und bleibt bis Mai abgeschaltet.'],
      ['form of number', 'Die Staumauer ist zweiundsechzig Meter hoch und dreihundertzehn Meter lang.'],
      ['sign', 'Im Januar fiel die Temperatur am Damm auf minus 14 °C.'],
      ['negation', 'An den Kosten beteiligt sich die Stadt Rehburg nicht.'],
      ['percent', 'Der Anteil des Landes wächst um 4 Prozentpunkte auf 34 %.'],
      ['swapped names', 'Umweltminister Jonas Brandt wurde von Verbandschefin Petra Wolff scharf kritisiert.'],
      ['unit', 'Umgesetzt wurden mindestens 1200 Forellen von im Schnitt 0,35 kg.'],
    ],
    wrong: [
      ['unit', 'Das Kraftwerk mit einer Leistung von 4,5 Kilowatt bleibt bis Mai abgeschaltet.'],
      ['negation', 'Die Stadt Rehburg beteiligt sich an den Kosten.'],
      ['antonym', 'Die Kosten sanken um 18 Prozent auf 96 Millionen Euro.'],
      ['swapped names', 'Umweltminister Jonas Brandt kritisierte Verbandschefin Petra Wolff scharf.'],
      ['percent', 'Der Anteil des Landes wächst um vier Prozent auf 34 Prozent.'],
      ['sign', 'Im Januar stieg die Temperatur am Damm auf 14 Grad.'],
      ['negation', 'Angler dürfen den See wieder betreten.'],
      ['bound', 'Höchstens 1.200 Forellen wurden umgesetzt, jede im Schnitt 350 Gramm schwer.'],
    ],
  },
  {
    half: 'held-out',
    page: `# Bahn und Post streiten über den Hauptbahnhof Lohn

Die Stadt Lohn bekommt einen neuen Hauptbahnhof. Der Rat stimmte am Dienstag, dem 4. November 2025, mit 31 zu 19 Stimmen dafür. Der Bau soll 1,4 Milliarden Euro kosten und 2034 fertig sein, drei Jahre später als geplant.

Die Halle wird 220 Meter lang und 48 Meter breit; ihr Dach wiegt 3.600 Tonnen. Zwölf Gleise sind vorgesehen, vier mehr als heute. Künftig sollen täglich bis zu 190.000 Reisende umsteigen, derzeit sind es knapp 120.000.

Bürgermeisterin Anke Sommer besiegte bei der Wahl im Mai den Amtsinhaber Rolf Peters mit 53 Prozent der Stimmen. Peters hatte vor einem Neubau gewarnt: „Wir können uns dieses Dach nicht leisten.“ Die Wahlbeteiligung ging um 6 Prozentpunkte zurück.

Die Post verkauft der Bahn ein Grundstück von 2,5 Hektar für 17 Millionen Euro. Ein Gutachten aus dem Jahr 2023 nannte einen Wert von 900 Schweizer Franken pro Quadratmeter. Die alte Halle darf nicht abgerissen werden, denn sie steht unter Denkmalschutz. Auch der Uhrturm bleibt erhalten.

Bis zum Baubeginn im März werden Leitungen in minus 18 Meter Tiefe verlegt. Die Züge nach Ahlen fahren dann über Werne, ihre Fahrzeit verlängert sich um 25 Minuten. Der Fahrgastverband hält den Plan für falsch. Seit dem Jahr 2015 ist die Zahl der Reisenden um ein Drittel gestiegen.`,
    right: [
      ['unit', 'Die Post verkauft der Bahn ein Grundstück von 25.000 Quadratmetern für 17 Mio. Euro.'],
      ['score', 'Mit 31:19 Stimmen war der Rat der Stadt Lohn am Dienstag für den neuen Hauptbahnhof.'],
      ['dates', 'Der Rat stimmte am 04.11.2025 für den neuen Hauptbahnhof.'],
      ['swapped names', 'Amtsinhaber Rolf Peters wurde bei der Wahl im Mai von Anke Sommer besiegt.'],
      ['negation', 'Weil sie unter Denkmalschutz steht, darf die alte Halle nicht abgerissen werden.'],
      ['form of number', 'Vorgesehen sind 12 Gleise, 4 mehr als heute.'],
      ['exponent', 'Der Bau soll 1.400 Millionen Euro kosten und 2034 fertig sein.'],
      ['unit', 'Das Dach der Halle wiegt 3,6 Millionen Kilogramm.'],
    ],
    wrong: [
      ['unit', 'Das Dach der Halle wiegt 3.600 Kilogramm.'],
      ['swapped names', 'Rolf Peters besiegte bei der Wahl im Mai Anke Sommer mit 53 Prozent der Stimmen.'],
      ['antonym', 'Der Bau soll 2034 fertig sein, drei Jahre früher als geplant.'],
      ['negation', 'Die alte Halle darf abgerissen werden.'],
      ['percent', 'Die Wahlbeteiligung ging um 6 Prozent zurück.'],
      ['currency', 'Ein Gutachten aus dem Jahr 2023 nannte einen Wert von 900 Euro pro Quadratmeter.'],
      ['score', 'Der Rat stimmte am Dienstag mit 19 zu 31 Stimmen dagegen.'],
    ],
  },
]
