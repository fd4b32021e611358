export const palette = {
  find: 'Find',
  title: 'Find a page, a sender or a customer',
  hint: 'Page, sender, number or text',
  customer: 'Everything that {{number}} got',
  messages: 'Look for “{{text}}” in all messages',
  keys: 'Keys that help',
  does: {
    find: 'Find anything',
    search: 'Search on this page',
    help: 'Show these keys',
    rows: 'Step through a list',
    open: 'Open the row',
    close: 'Close what is open',
  },
}
