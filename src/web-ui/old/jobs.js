// What is answered in the background, where there is anything.

import { byId, element, moment, update } from './dom.js'

/** @type {Record<string, string>} */
const levels = { completed: 'ok', failed: 'bad', running: 'warning' }

/** @param {readonly any[]} jobs the newest first */
export function showJobs(jobs) {
  byId('jobs', HTMLElement).hidden = jobs.length === 0
  update(
    byId('job-rows', HTMLElement),
    ...jobs.map(({ status, question, vendor, created_at: created, ended_at: ended, error }) =>
      element(
        'div',
        {},
        element('dt', {}, element('span', { class: `badge ${levels[status] ?? ''}` }, status)),
        element(
          'dd',
          {},
          question,
          element(
            'div',
            { class: 'quiet' },
            ...[vendor, ...(ended ? [', ended ', moment(ended)] : [', begun ', moment(created)])],
            error ? `: ${error.message}` : '',
          ),
        ),
      ),
    ),
  )
}
