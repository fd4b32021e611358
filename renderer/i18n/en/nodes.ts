export const nodes = {
  title: 'Nodes',
  lead: 'The programs that share one database. Each linked number is on one of them; when it is gone, the others take its numbers over.',
  none: 'This Kurir runs alone',
  noneHint: 'Its messages are in its own folder. Several programs can share a database instead.',
  alive: 'Running',
  gone: 'Not heard of',
  here: 'This window is on this node',
  goneLead:
    'It ended without saying so, or cannot reach the database. Start it again, or take it out of the list if it is gone for good.',
  forget: 'Take out of the list',
  senders: 'Senders that it holds',
  heard: 'Last heard of',
  started: 'Started',
  version: 'Version',
  address: 'Address for the other nodes',
  takenOver: 'Senders taken over from others since its start',
  fenced: 'Late writes that were refused since its start',
}
