export const refusedCalls = {
  title: 'Refused calls',
  lead: 'The last 1,000 calls of your programs that Kurir answered with an error. Nothing was sent for them.',
  empty: 'No call was refused',
  emptyHint: 'Calls that Kurir cannot accept appear here, with what to change in your program.',
  key: 'Key',
  noKey: 'none that Kurir knows',
  what: 'What was wrong',
  advice: 'What to change in your program',
  call: 'Call',
  answer: 'Answer',
  field: 'Field',
  from: 'From',
}
