import type { Subject } from '../page.ts'

export const apollo11: Subject = {
  name: 'the flight of Apollo 11',
  about: 'apollo, moon landing, saturn v, armstrong, aldrin',
  pages: [
    {
      site: 'encyclopedia.csp.example',
      path: '/apollo-11',
      title: 'Apollo 11: the first landing on the Moon',
      publishedAt: '2026-07-20',
      text: `Apollo 11 was the first flight that landed people on the Moon. Neil Armstrong and Buzz Aldrin landed in the Sea of Tranquility on 20 July 1969 at 20:17 UTC.

Michael Collins stayed in orbit around the Moon in the command module Columbia. The lunar module was called Eagle.

## The flight by the clock

| Event | Time (UTC) |
| launch from Kennedy Space Center | 16 July 1969, 13:32 |
| landing on the Moon | 20 July 1969, 20:17 |
| Armstrong's first step | 21 July 1969, 02:56 |
| launch from the Moon | 21 July 1969, 17:54 |
| splashdown in the Pacific | 24 July 1969, 16:50 |

## On the surface

Armstrong and Aldrin worked outside for 2 hours and 31 minutes. They brought back 21.5 kg of rock and soil. They left a reflector for lasers, which still measures the distance to the Moon.

The whole flight took 8 days, 3 hours and 18 minutes. The aircraft carrier USS Hornet took the crew on board.`,
    },
    {
      site: 'review.csp.example',
      path: '/space/1202-alarm',
      title: 'The 1202 alarm: how a computer landed on the Moon',
      publishedAt: '2026-01-22',
      text: `During the landing of Apollo 11 the guidance computer reported the alarms 1202 and 1201: it had more work than time. The computer dropped its less important jobs, restarted, and kept flying.

The rendezvous radar was on in a mode whose signals took computing time that the landing needed. Mission control knew the alarm from a simulation and told the crew to go on.

## The machine

| Part | Size |
| fixed memory, woven as rope | 36,864 words |
| erasable memory | 2,048 words |
| word | 15 bits and a parity bit |
| weight | 32 kg |

Margaret Hamilton led the team at the MIT Instrumentation Laboratory that wrote the onboard flight software. Its scheduler ran jobs by priority, which is why the landing programs went on.`,
    },
    {
      site: 'almanac.csp.example',
      path: '/space/saturn-v',
      title: 'Saturn V in figures',
      publishedAt: '2026-04-30',
      text: `The Saturn V was the rocket that carried Apollo 11 to the Moon. It was 110.6 m tall and flew 13 times from 1967 to 1973.

| Stage | Engines | Fuel |
| S-IC, the first | five F-1 | kerosene and liquid oxygen |
| S-II, the second | five J-2 | liquid hydrogen and liquid oxygen |
| S-IVB, the third | one J-2 | liquid hydrogen and liquid oxygen |

## The flights

The first flight of a Saturn V was Apollo 4 on 9 November 1967. The last one launched the space station Skylab on 14 May 1973. No Saturn V lost its crew.`,
    },
  ],
}
