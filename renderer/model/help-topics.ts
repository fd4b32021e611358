/** Problems, and the pages that solve them. The most urgent comes first. */
export const TOPICS = [
  { name: 'phone', to: ['senders'] },
  { name: 'banned', to: ['senders', 'messages'] },
  { name: 'newPhone', to: ['senders'] },
  { name: 'newPc', to: ['backup'] },
  { name: 'staff', to: ['keys', 'access', 'acts', 'newKey'] },
  { name: 'hands', to: ['senders', 'keys', 'newKey'] },
] as const
