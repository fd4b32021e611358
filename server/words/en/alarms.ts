/** Titles and bodies of alarms, and the daily line. */
export const alarms = {
  needs: 'Kurir needs you',
  over: 'Solved',
  test: 'Kurir: this is a test',
  testBody: 'Alarms arrive here when messages wait, fail or cannot be reported.',
  from: 'From the PC {computer}.',
  day: 'Kurir today',
  figures: 'Today {sent} sent, {failed} failed, {waiting} waiting.',
  pastDay: 'Kurir on {day}',
  pastFigures: '{sent} sent, {failed} failed. This line could not leave on its day.',
  well: 'All is well.',
} as const
