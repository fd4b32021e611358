import type { SenderRow } from '../store/index.ts'

/**
 * The place at which groups come into the mouths: what a sender's groups are, and whether a target
 * may be one.
 */
export const groupsOf = async (_sender: SenderRow): Promise<{ id: string; name: string }[]> => []

export const GROUPS_REFUSED = 'groups are not possible yet, only people'
