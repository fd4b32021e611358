import { z } from 'zod'
import { type Columns, integer, json, jsonOrNull, text, textOrNull, writing } from './columns.ts'
import { type Bound, bound } from './statements.ts'

const coming = z.object({ category: z.string(), at: z.number().nullable() })
/** The category that Meta will change a template to, and when (milliseconds since 1970). */
export type ComingCategory = z.infer<typeof coming>

/** Name of a template. */
export interface TemplatePlace {
  name: string
  language: string
}

export interface TemplateNotes {
  /** Meta's reason why the template cannot be sent, while it cannot. */
  trouble: string | null
  coming: ComingCategory | null
}

export interface TemplateRow extends TemplatePlace, TemplateNotes {
  /** As Meta lists it. */
  body: unknown
  syncedAt: number
}

/** A template as Meta lists it now. */
export interface NewTemplate extends TemplatePlace {
  body: object
  category: string | null
  sendable: boolean
}

/** Notes that are still true of a template that was read again. */
export const notesAfter = ({ sendable, category }: NewTemplate, before: TemplateNotes | undefined): TemplateNotes => ({
  // One that can be sent now has no trouble any more.
  trouble: sendable ? null : (before?.trouble ?? null),
  // Over when Meta has done it.
  coming: before?.coming?.category === category ? null : (before?.coming ?? null),
})

/** Meta's templates of each official sender, as they were last read. */
export interface TemplateStore {
  /** Rises when another node has changed them. Kept in memory. */
  revision(): number
  list(senderId: number): Promise<TemplateRow[]>
  /**
   * All of a sender, or (with `name`) all languages of one template; what is not among `rows` is
   * gone at Meta.
   */
  replace(senderId: number, name: string | null, rows: readonly NewTemplate[], at: number): Promise<void>
  change(senderId: number, row: TemplatePlace & TemplateNotes & { body: object }): Promise<void>
}

export const TEMPLATE: Columns<TemplateRow> = {
  name: text('name'),
  language: text('language'),
  body: json('body', z.unknown()),
  syncedAt: integer('synced_at'),
  trouble: textOrNull('trouble'),
  coming: jsonOrNull('coming', coming),
}

export const STORED = writing({ senderId: integer('sender_id'), ...TEMPLATE })
export const STORED_KEY = ['sender_id', 'name', 'language']

/** The place of a template among those of its sender. */
export const keyOf = ({ name, language }: TemplatePlace): string => `${name} ${language}`

export const changeTemplate = (
  senderId: number,
  { name, language, body, trouble, coming: next }: TemplatePlace & TemplateNotes & { body: object },
): Bound =>
  bound(
    'UPDATE templates SET body = $4, trouble = $5, coming = $6 WHERE sender_id = $1 AND name = $2 AND language = $3',
    ...[senderId, name, language, JSON.stringify(body), trouble, next === null ? null : JSON.stringify(next)],
  )
