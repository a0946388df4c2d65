import type { Subject } from '../page.ts'

export const sourdough: Subject = {
  name: 'sourdough bread',
  about: "sourdough, baker's percentages, bread",
  pages: [
    {
      site: 'kitchen.csp.example',
      path: '/bread/sourdough-starter',
      title: 'A sourdough starter, day by day',
      publishedAt: '2026-02-24',
      text: `A sourdough starter is flour and water in which wild yeasts and lactic acid bacteria live. The yeasts make the gas that raises the dough, and the bacteria make the acids that give its taste.

| Day | What to do |
| 1 | mix 50 g of whole rye flour with 50 g of water |
| 2 | wait |
| 3 to 6 | keep 50 g, add 50 g of flour and 50 g of water |
| 7 | use it, once it doubles within 4 to 8 hours |

## Feeding

A feeding of 1 to 1 to 1 means equal weights of starter, flour and water. A starter at 25 °C is fed once or twice a day, one in the refrigerator once a week.

## Who lives in it

In a ripe starter there are about a hundred bacteria for each yeast cell. Fructilactobacillus sanfranciscensis is a bacterium that is named after the sourdough of San Francisco.`,
    },
    {
      site: 'kitchen.csp.example',
      path: '/bread/bakers-percentages',
      title: "Baker's percentages for sourdough",
      publishedAt: '2026-10-20',
      text: `Baker's percentages give each ingredient as a share of the weight of the flour, which is always 100%. A dough with 700 g of water for 1,000 g of flour has a hydration of 70%.

| Ingredient | Share | Weight |
| flour | 100% | 1,000 g |
| water | 70% | 700 g |
| starter | 20% | 200 g |
| salt | 2% | 20 g |

## From dough to bread

At 25 °C such a dough ferments for about 4 to 5 hours before it is shaped. A night in the refrigerator adds taste and makes the dough easier to score. The bread is done when its core has 96 to 98 °C.

A wetter dough gives larger holes and is harder to shape.`,
    },
  ],
}
