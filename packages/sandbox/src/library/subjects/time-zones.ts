import type { Subject } from '../page.ts'

export const timeZones: Subject = {
  name: 'time zones',
  about: 'time zone, time zones, timezone, timezones, utc, daylight saving, summer time, leap seconds, leap second',
  pages: [
    {
      site: 'almanac.csp.example',
      path: '/time/time-zones',
      title: 'Time zones of the world',
      publishedAt: '2026-01-08',
      text: `A time zone is an area that keeps one legal time, given as an offset from UTC. The offsets reach from UTC−12 to UTC+14.

| Place | Offset |
| Line Islands, Kiribati | UTC+14 |
| Nepal | UTC+5:45 |
| India | UTC+5:30 |
| Newfoundland, in winter | UTC−3:30 |

China has used one time zone, UTC+8, since 1949. Not every offset is a whole hour.

## Summer time

Germany and Austria-Hungary introduced daylight saving time on 30 April 1916, before all other countries. In the European Union summer time lasts from the last Sunday of March to the last Sunday of October. In the United States daylight saving time lasts from the second Sunday of March to the first Sunday of November.

## The zero line

The International Meridian Conference in Washington chose Greenwich as the prime meridian in October 1884.

## Leap seconds

From 1972 to 2016, 27 leap seconds were added to UTC. In November 2022 the General Conference on Weights and Measures decided to end leap seconds by 2035.`,
    },
    {
      site: 'handbook.csp.example',
      path: '/programming/time-zones',
      title: 'Time zones for programmers',
      publishedAt: '2026-09-01',
      text: `Store the moment of a past event in UTC. Store a future appointment as local time with the name of its zone, because the rules of the zone may change before then.

An offset such as +02:00 is no time zone: it does not say when the clocks change. A name such as Europe/Berlin is one.

## The tz database

The tz database has the rules of all zones since 1970. IANA has published it since October 2011, and Paul Eggert maintains it. A new release comes several times a year, since governments change the rules.

    new Date('2026-07-01T12:00:00Z').toLocaleString('en-GB', { timeZone: 'Asia/Kolkata' })
    // 01/07/2026, 17:30:00

## Two traps

When the clocks go back, one hour happens twice. When the clocks go forward, one hour does not exist.`,
    },
  ],
}
