import type { Subject } from '../page.ts'

export const espresso: Subject = {
  name: 'espresso',
  about: 'espresso, coffee, crema',
  pages: [
    {
      site: 'kitchen.csp.example',
      path: '/coffee/espresso',
      title: 'Espresso: pressure, dose and time',
      publishedAt: '2026-05-28',
      text: `Espresso is coffee that is brewed by pressing hot water through finely ground coffee at about 9 bar. Nine bar is about nine times the pressure of the air at sea level.

The Italian Espresso National Institute certifies an espresso by these values:

| Value | Target |
| ground coffee | 7 g ± 0.5 g |
| water pressure | 9 bar ± 1 bar |
| water temperature | 88 °C ± 2 °C |
| time | 25 s ± 5 s |
| in the cup, with its foam | 25 ml ± 2.5 ml |

## Crema

The crema is the foam on an espresso: carbon dioxide of the roasted beans, in bubbles that oils and proteins hold together. Old beans have lost their carbon dioxide, so they make little crema.

## Caffeine

A single espresso of 30 ml has about 63 mg of caffeine. A mug of filter coffee has more in all, because it is larger, though less in each millilitre.`,
    },
    {
      site: 'kitchen.csp.example',
      path: '/coffee/dialling-in',
      title: 'Dialling in an espresso',
      publishedAt: '2026-09-15',
      text: `To dial in an espresso, keep dose and ratio, and change the grind until the time is right. A common ratio is 1 to 2: 18 g of ground coffee give 36 g of espresso in 25 to 30 seconds.

| Taste | Cause | Change |
| sour, thin | too little extracted | grind finer |
| bitter, dry | too much extracted | grind coarser |
| weak | too much water | stop the shot sooner |

## One thing at a time

Change one thing in each shot. A finer grind slows the water, because the bed of coffee resists it more.

## Fresh beans

Beans taste best from about one to four weeks after roasting. Weigh the espresso on a scale, since crema makes its volume misleading.`,
    },
    {
      site: 'review.csp.example',
      path: '/history/espresso-machine',
      title: 'A short history of the espresso machine',
      publishedAt: '2025-12-02',
      text: `Angelo Moriondo of Turin patented the first known espresso machine on 16 May 1884. His machine brewed coffee in bulk, not cup by cup.

| Year | Step |
| 1884 | Moriondo's machine, with steam, in Turin |
| 1901 | Luigi Bezzera's patent, which brews each cup by itself |
| 1905 | Desiderio Pavoni sells Bezzera's machine as the Ideale |
| 1948 | Achille Gaggia's lever machine, with a spring piston |
| 1961 | the Faema E61, with an electric pump |

## From steam to nine bar

The early machines worked with steam at about 1.5 bar, which burned the coffee. Gaggia's spring piston reached 8 to 10 bar, and with it came the crema. The Faema E61 of 1961 replaced the lever with an electric pump that holds 9 bar.`,
    },
  ],
}
