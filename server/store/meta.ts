/**
 * What the program keeps about itself: the sealed data key, whether the owner paused all senders, when the last backup was
 * made, versions of WhatsApp, where alarms go (sealed) and what they reported.
 */
export type MetaName = 'data_key' | 'all_paused' | 'backup_at' | 'whatsapp_versions' | 'alarms' | 'alarm_state'

/** Reads are kept in memory; they may be up to a second old in an engine that is shared. */
export interface MetaStore {
  get(name: MetaName): string | undefined
  save(name: MetaName, value: string): Promise<void>
}
