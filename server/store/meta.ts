/**
 * Values that the program keeps about itself: the sealed data key (with the one before while a new
 * one is put in its place, and whether one is wanted), whether the owner paused all senders, which
 * ones are paused since data came back, when the last backup was made, when the program was last
 * seen running, versions of WhatsApp, where alarms go (sealed) and what they reported, where
 * automatic backups go (sealed) and how the last ones went, which programs of other gateways the
 * owner has decided about, which failures of a day the owner has seen, what one message costs at
 * Meta, and the settings of the printer port and of the drop folder.
 */
export type MetaName =
  | 'data_key'
  | 'data_key_before'
  | 'data_key_rotation'
  | 'all_paused'
  | 'paused_by_return'
  | 'backup_at'
  | 'marked_at'
  | 'whatsapp_versions'
  | 'alarms'
  | 'alarm_state'
  | 'programs_decided'
  | 'printer'
  | 'drop_folder'
  | 'failures_seen'
  | 'meta_prices'
  | 'backup_plan'
  | 'backup_state'

/** Reads are kept in memory; they may be up to a second old in an engine that is shared. */
export interface MetaStore {
  get(name: MetaName): string | undefined
  save(name: MetaName, value: string): Promise<void>
  /** Saves it unless there is one already; resolves with the one that counts. */
  keep(name: MetaName, value: string): Promise<string>
}
