import type { Subject } from '../page.ts'

export const heatPumps: Subject = {
  name: 'heat pumps',
  about: 'heat pump, heat pumps',
  pages: [
    {
      site: 'encyclopedia.csp.example',
      path: '/heat-pump',
      title: 'How a heat pump works',
      publishedAt: '2026-09-29',
      text: `A heat pump moves heat from a cold place to a warm one. A refrigerant evaporates outside and takes up heat, a compressor raises its pressure and its temperature, and it gives off the heat inside as it condenses.

The coefficient of performance, or COP, is the heat delivered for each unit of electricity. A COP of 3 means that 1 kWh of electricity gives 3 kWh of heat.

## The parts

| Part | What happens there |
| evaporator | the refrigerant boils and takes up heat |
| compressor | pressure and temperature rise |
| condenser | the refrigerant condenses and gives off heat |
| expansion valve | pressure and temperature fall |

## History

Peter von Rittinger built the first known heat pump in Austria in the 1850s, to make salt from brine. The town hall of Zurich got a heat pump in 1938.`,
    },
    {
      site: 'handbook.csp.example',
      path: '/energy/heat-pumps-in-the-cold',
      title: 'Heat pumps in cold climates',
      publishedAt: '2026-11-17',
      text: `Heat pumps also work in cold climates, because even air at −20 °C holds heat. The colder the air outside, the lower the COP: the pump has to lift the heat farther.

The best possible COP is the temperature inside divided by the difference between inside and outside, in kelvin. For 35 °C in the floor and −5 °C outside that is 308 divided by 40, or 7.7. Real machines reach about half of it.

## What helps

- Large radiators or floor heating let the water be cooler, which raises the COP.
- In Central Europe the ground stays at about 10 °C all year below a depth of ten metres.
- A short defrost melts the ice from the outdoor unit.

## Where they are common

About 60% of the buildings in Norway have a heat pump, more than anywhere else in Europe.`,
    },
  ],
}
