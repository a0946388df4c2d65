import type { Question } from './question.ts'

/** When the answers were written down. None of them is expected to change. */
const asOf = '2026-11'

type Row = readonly [id: string, question: string, ...answers: string[]]

const software: readonly Row[] = [
  ['sqlite-strict', 'Which SQLite version introduced STRICT tables?', '3.37.0', '3.37'],
  ['postgres-merge', 'Which PostgreSQL version added the MERGE command?', 'PostgreSQL 15', 'Postgres 15', 'version 15'],
  ['python-tomllib', 'Which PEP added tomllib to the Python standard library?', 'PEP 680'],
  ['rust-async-trait', 'Which Rust version stabilised async fn in traits?', '1.75'],
  ['git-switch', 'Which Git version introduced the command git switch?', '2.23'],
  ['linux-io-uring', 'Which Linux kernel version first had io_uring?', '5.1'],
  ['linux-wireguard', 'Into which Linux kernel version was WireGuard merged?', '5.6'],
  ['curl-json', 'Which curl version added the option --json?', '7.82.0', '7.82'],
  ['openssh-sha1', 'Which OpenSSH version disabled RSA signatures with SHA-1 by default?', 'OpenSSH 8.8', '8.8'],
  ['go-slices', 'Which Go version added the slices package to the standard library?', 'Go 1.21', '1.21'],
]

const standards: readonly Row[] = [
  ['rfc-uuid7', 'Which RFC defines UUID version 7?', 'RFC 9562', '9562'],
  ['rfc-robots', 'Which RFC specifies the Robots Exclusion Protocol?', 'RFC 9309', '9309'],
  ['rfc-http-signatures', 'Which RFC specifies HTTP Message Signatures?', 'RFC 9421', '9421'],
  ['rfc-problem', 'Which RFC replaced RFC 7807, Problem Details for HTTP APIs?', 'RFC 9457', '9457'],
  ['http-421', 'Which HTTP status code means Misdirected Request?', '421'],
  ['coap-port', 'What is the default UDP port of CoAP?', '5683'],
  ['mqtt-tls-port', 'Which TCP port is registered for MQTT over TLS?', '8883'],
  ['iso-tea', 'Which ISO standard describes the brewing of tea for sensory tests?', 'ISO 3103'],
  ['iso-639-3-votic', 'What is the ISO 639-3 code of the Votic language?', 'vot'],
  ['unicode-beaver', 'What is the Unicode code point of the beaver emoji?', 'U+1F9AB', '1F9AB'],
]

const places: readonly Row[] = [
  ['faroe-peak', 'What is the highest mountain of the Faroe Islands?', 'Slættaratindur'],
  ['luxembourg-peak', 'What is the highest point of Luxembourg?', 'Kneiff'],
  ['norway-lake', 'What is the deepest lake in Norway?', 'Hornindalsvatnet', 'Hornindalsvatn'],
  ['longyearbyen-icao', 'What is the ICAO code of Svalbard Airport, Longyear?', 'ENSB'],
  ['st-helena-iata', 'What is the IATA code of Saint Helena Airport?', 'HLE'],
  ['tokelau-code', 'What is the international calling code of Tokelau?', '+690', '690'],
  ['lotschberg-length', 'How long is the Lötschberg Base Tunnel?', '34.57', '34.6', '34,576', '34.5'],
  ['great-belt-span', "How long is the main span of the Great Belt's East Bridge?", '1624', '1.624', '1.6 km'],
  ['ariary', 'What is the ISO 4217 code of the Malagasy ariary?', 'MGA'],
  ['bell-rock', 'In which year was the Bell Rock Lighthouse first lit?', '1811'],
]

const science: readonly Row[] = [
  ['dinkinesh', 'What is the minor-planet number of Dinkinesh, visited by Lucy in 2023?', '152830'],
  ['didymos', 'What is the minor-planet number of Didymos?', '65803'],
  ['dart-impact', 'On which day did the DART spacecraft hit Dimorphos?', '2022-09-26'],
  ['sombrero-ngc', 'What is the NGC number of the Sombrero Galaxy?', 'NGC 4594', '4594'],
  ['theobromine-cas', 'What is the CAS number of theobromine?', '83-67-0'],
  ['ibuprofen-cas', 'What is the CAS number of ibuprofen?', '15687-27-1'],
  ['metformin-atc', 'What is the ATC code of metformin?', 'A10BA02'],
  ['warfarin-atc', 'What is the ATC code of warfarin?', 'B01AA03'],
  ['shellac-e', 'What is the E number of shellac as a food additive?', 'E904', 'E 904'],
  ['konjac-e', 'What is the E number of konjac as a food additive?', 'E425', 'E 425', 'E425i'],
]

const culture: readonly Row[] = [
  ['abel-2019', 'Who received the Abel Prize in 2019?', 'Karen Uhlenbeck', 'Uhlenbeck'],
  ['pritzker-2021', 'Who received the Pritzker Architecture Prize in 2021?', 'Lacaton'],
  ['booker-2023', 'Which novel won the Booker Prize in 2023?', 'Prophet Song'],
  ['booker-int-2022', 'Which book won the International Booker Prize in 2022?', 'Tomb of Sand'],
  ['roubaix-2023', "Who won the men's Paris-Roubaix in 2023?", 'Mathieu van der Poel', 'van der Poel'],
  ['tdff-2022', 'Who won the Tour de France Femmes in 2022?', 'Annemiek van Vleuten', 'van Vleuten'],
  ['trompowsky', 'What is the ECO code of the Trompowsky Attack?', 'A45'],
  ['trout-deutsch', "What is the Deutsch catalogue number of Schubert's Trout Quintet?", 'D. 667', 'D667', 'D 667'],
  ['cyber-resilience-act', 'What is the number of the EU Cyber Resilience Act?', '2024/2847'],
  ['data-act', 'What is the number of the EU Data Act?', '2023/2854'],
]

/** Fifty public facts: small print that is on the web in several places, and that few people know by heart. */
export const facts: readonly Question[] = Object.entries({ software, standards, places, science, culture }).flatMap(
  ([kind, rows]) => rows.map(([id, question, ...answers]) => ({ id, question, answers, kind, asOf })),
)
