/** In the order of the index. */
export const SECTIONS = [
  'window',
  'alarms',
  'network',
  'access',
  'files',
  'folder',
  'customers',
  'programs',
  'log',
  'meta',
  'backup',
  'about',
] as const

export type Section = (typeof SECTIONS)[number]
