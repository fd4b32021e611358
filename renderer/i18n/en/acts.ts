export const acts = {
  title: 'What owners did',
  lead: 'Every change in this window, by the command line and by programs with the owner’s token. Kept for a year.',
  list: 'Newest first',
  empty: 'Nothing yet',
  emptyHint: 'What you change from now on stands here.',
  more: 'Show older ones',
}
