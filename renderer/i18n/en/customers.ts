export const customers = {
  title: 'Customers',
  lead: 'Everything that one number got, from all of your senders.',
  find: 'Find a customer',
  findHint: 'Number: 0812 3456 7890',
  show: 'Show',
  all: 'Everything that this number got',
  nothing: 'This number has not got any message from Kurir.',
  total_one: '{{count}} message since {{since}}',
  total_other: '{{count}} messages since {{since}}',
  last: 'the last one {{when}}',
  failed: '{{count}} failed',
  waiting: '{{count}} waiting',
}
