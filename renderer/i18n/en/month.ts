export const month = {
  title: 'Month',
  lead: 'Without the sandbox. Every figure leads to its messages.',
  choose: 'Which month',
  empty: 'No message in this month.',
  reasons: 'Why messages failed',
  senders: 'By sender',
  days: 'By day',
  all: 'All',
  sent: 'Sent',
  count: 'Count',
  failedOfDay: '{{count}} failed',
}
