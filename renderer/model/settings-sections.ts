/** Sections that every shop needs, in the order of the index. */
export const USUAL = ['window', 'alarms', 'customers', 'log', 'access', 'backup', 'about'] as const

/** Sections that few shops need, below a heading of their own. */
export const ADVANCED = ['network', 'files', 'folder', 'programs', 'meta'] as const

export const SECTIONS = [...USUAL, ...ADVANCED] as const

export type Section = (typeof SECTIONS)[number]
