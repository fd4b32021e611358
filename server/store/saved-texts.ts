import { type Columns, integer, text } from './columns.ts'

/** A text that the owner keeps for later messages. */
export interface SavedTextRow {
  id: string
  name: string
  text: string
  changedAt: number
}

export interface SavedTextChange {
  name?: string | undefined
  text?: string | undefined
  changedAt: number
}

/** No two texts have the same name: the second one is `taken`. */
export interface SavedTextStore {
  /** The oldest first. */
  list(): Promise<SavedTextRow[]>
  /** `full`: there are `most` of them. */
  add(row: SavedTextRow, most: number): Promise<'added' | 'taken' | 'full'>
  /** Resolves with the text as it is then. */
  change(id: string, change: SavedTextChange): Promise<SavedTextRow | 'taken' | 'unknown'>
  /** False: unknown. */
  remove(id: string): Promise<boolean>
}

export const SAVED_TEXT: Columns<SavedTextRow> = {
  id: text('id'),
  name: text('name'),
  text: text('text'),
  changedAt: integer('changed_at'),
}

/** A text after a change of some of its members. */
export const changedText = (before: SavedTextRow, { name, text, changedAt }: SavedTextChange): SavedTextRow => ({
  ...before,
  name: name ?? before.name,
  text: text ?? before.text,
  changedAt,
})
