import type { PairPage } from './pair-page.ts'

export const en: readonly PairPage[] = [
  {
    half: 'tuning',
    page: `# Trial of a once-weekly pill for kidney disease

A pill that is taken once a week slowed the loss of kidney function in adults with diabetes, according to a trial of 2,418 patients at 96 hospitals. Half of them received 5 mg of torvaline, the others a placebo. Results were presented in Vienna on 14 March 2025.

After 24 months, the filtration rate had fallen by 3.1 ml/min in the treated group and by 5.6 ml/min among those on placebo. The risk of dialysis was 31 percent lower. Body weight dropped by an average of 2.4 kg, and systolic blood pressure by 4 mmHg. The drug did not reduce the number of strokes.

"We were surprised by how early the curves separated," said Hannah Lindqvist, who led the study. She had been hired by Marcus Oyelaran, then head of the institute, in 2016. Lindqvist criticised Oyelaran last year for cutting the budget of the clinic by $1.2 million.

Side effects were mild. Nausea was reported by 9 percent of patients, up from 6 percent in an earlier trial, a rise of 3 percentage points. At least 40 patients stopped treatment. Tablets must be stored below 25 °C; they can be frozen to −18 °C without harm. No liver damage was seen.

The company, Brennick Pharma, expects sales of up to €900 million a year. Its shares rose 7.5 percent on Friday to £18.40, while those of its rival Calder Labs fell 2 percent. Brennick bought Calder's kidney unit in 2019 for $350 million. A decision of the regulator is expected before the end of June.`,
    right: [
      ['unit', 'Half of the 2,418 patients in the trial received 0.005 g of torvaline.'],
      ['form of number', 'The trial had two thousand four hundred and eighteen patients at ninety-six hospitals.'],
      ['sign', 'The tablets can be frozen to minus 18 degrees Celsius without harm.'],
      ['unit', 'Tablets must be stored below 77 °F.'],
      ['negation', 'The number of strokes was not reduced by the drug.'],
      ['swapped names', 'Oyelaran was criticised by Lindqvist last year for cutting the budget of the clinic.'],
      ['currency', 'Shares of Brennick Pharma rose by 7.5% to 18.40 pounds on Friday.'],
      ['unit', 'After two years, the filtration rate of the treated group had fallen by 3.1 ml/min.'],
    ],
    wrong: [
      ['unit', 'Half of the patients in the trial received 5 g of torvaline, the others a placebo.'],
      ['negation', 'The drug did reduce the number of strokes.'],
      [
        'swapped names',
        'Oyelaran criticised Lindqvist last year for cutting the budget of the clinic by $1.2 million.',
      ],
      ['antonym', 'Shares of Brennick Pharma fell 7.5 percent on Friday to £18.40.'],
      ['percent', 'Nausea was reported by 9 percent of patients, a rise of 3 percent on an earlier trial.'],
      ['sign', 'The tablets can be frozen to 18 °C without harm.'],
      ['bound', 'At most 40 patients stopped treatment because side effects were mild.'],
    ],
  },
  {
    half: 'held-out',
    page: `# Rovers win the northern derby and climb to third

Harrow Rovers beat Kelby Town 3–1 at Wexley Park on Saturday in front of 41,250 spectators, their largest crowd since 1998. Amara Diallo scored twice within nine minutes, and Joel Prentice added a third from 25 yards before Kelby's captain Sven Aker pulled one back.

Rovers are now third with 58 points, two ahead of Kelby. They have won 17 of 30 games and lost six. A year ago they had 44 points at this stage. The club has never won the league, and it no longer pays the rent of its old ground.

The pitch, 105 metres long and 68 metres wide, was relaid in the summer for £1.3 million. The temperature at kick-off was −3 °C, the lowest of the season. Doors had opened an hour later than planned, at 2 p.m., because of ice.

Diallo, who is 1.82 m tall and weighs 76 kg, joined from Porto in January 2024 for a fee of €12.5 million. Prentice, 21, replaced Luca Ferri in the starting team. "I told the boys at half-time that the second goal wins it," said the manager, Ruth Calloway, who has extended her contract until 2028.

Kelby's share of possession was 61 percent, five percentage points more than in the first leg, which Rovers lost 2–0. More than 300 police officers were on duty; a dozen people were arrested. Rovers play Stanmere away next, before the cup semi-final in Leeds on 6 April.`,
    right: [
      ['score', 'Kelby Town lost 1–3 to Harrow Rovers at Wexley Park on Saturday.'],
      ['unit', 'The pitch at Wexley Park is 0.105 km long and 6,800 cm wide.'],
      ['form of number', 'Twelve people were arrested, and over three hundred police officers were on duty.'],
      ['negation', 'Rovers have never won the league and no longer pay the rent of their old ground.'],
      ['swapped names', 'In the starting team, Luca Ferri was replaced by Joel Prentice, who is 21.'],
      ['rounding', 'About 41,000 spectators watched the derby, the largest crowd of Rovers since 1998.'],
      ['dates', 'The cup semi-final in Leeds is on April 6th, after Rovers play Stanmere away.'],
    ],
    wrong: [
      ['score', 'Harrow Rovers beat Kelby Town 3–2 at Wexley Park on Saturday.'],
      ['swapped names', 'In the starting team, Luca Ferri replaced Joel Prentice, who is 21.'],
      ['sign', 'The temperature at kick-off was 3 °C, the lowest of the season.'],
      ['unit', 'The pitch is 105 feet long and 68 feet wide, and was relaid in the summer.'],
      ['antonym', 'Doors had opened an hour earlier than planned, at 2 p.m., because of ice.'],
      ['negation', 'The club still pays the rent of its old ground.'],
      ['currency', 'Diallo joined from Porto in January 2024 for a fee of $12.5 million.'],
      ['swapped numbers', 'Rovers have won six of 30 games and lost 17.'],
    ],
  },
]
