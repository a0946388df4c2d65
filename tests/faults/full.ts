/** Whether the long parts run: `npm run test:faults`. The quick part belongs to `npm test`. */
export const isFull = process.env['FAULTS'] === 'full'
