import type { Subject } from '../page.ts'

export const solarPanels: Subject = {
  name: 'solar panels',
  about: 'solar, photovoltaic, photovoltaics',
  pages: [
    {
      site: 'encyclopedia.csp.example',
      path: '/solar-cell',
      title: 'How a solar cell works',
      publishedAt: '2026-03-03',
      text: `A solar cell turns light into electricity: light frees electrons in a semiconductor, and an electric field inside the cell pushes them to one side. Almost all solar panels are made of silicon.

Edmond Becquerel described the photovoltaic effect in 1839. Bell Laboratories showed the first practical silicon cell on 25 April 1954, with an efficiency of about 6%.

## The limit

A cell with one junction can turn at most 33.7% of sunlight into electricity, which is the Shockley–Queisser limit. Light with too little energy passes through, and the surplus of light with more energy becomes heat.

| Cell | Efficiency |
| the first silicon cell, 1954 | 6% |
| panels that are sold today | 20 to 23% |
| limit of one junction | 33.7% |

A second layer of another material above the silicon raises the limit, since each layer uses another part of the light.`,
    },
    {
      site: 'handbook.csp.example',
      path: '/energy/solar-roof',
      title: 'What a solar roof yields',
      publishedAt: '2026-10-06',
      text: `A solar roof yields about 1,000 kWh a year for each kilowatt peak in Germany, and about 1,500 kWh in the south of Spain. A kilowatt peak is what panels give under test conditions: 1,000 W of light on each square metre, at a cell temperature of 25 °C.

## A sum

    8 kWp x 1,000 kWh = 8,000 kWh a year

One kilowatt peak of panels with an efficiency of 21% needs about 4.8 square metres.

## What takes from it

| Cause | Effect |
| heat | 0.3 to 0.4% less for each degree above 25 °C |
| age | about 0.5% less a year |
| inverter | 2 to 4% lost |

An inverter turns the direct current of the panels into alternating current. Shade on one cell slows all cells of its string, unless diodes lead the current past it.`,
    },
  ],
}
