/** The category that Meta will change a template to, and when (milliseconds since 1970). */
export interface ComingCategory {
  category: string
  at: number | null
}

export interface TemplateRow {
  name: string
  language: string
  /** As Meta lists it. */
  body: unknown
  syncedAt: number
  /** Meta's reason why the template cannot be sent, while it cannot. */
  trouble: string | null
  coming: ComingCategory | null
}

/** Meta's templates of each official sender, as they were last read. */
export interface TemplateStore {
  /** Rises when they have changed, also by another node. Kept in memory. */
  revision(): number
  list(senderId: number): Promise<TemplateRow[]>
  /**
   * All of a sender, or (with `name`) all languages of one template; what is not among `rows` is
   * gone at Meta.
   */
  replace(
    senderId: number,
    name: string | null,
    rows: readonly { name: string; language: string; body: object; category: string | null; sendable: boolean }[],
    at: number,
  ): Promise<void>
  change(
    senderId: number,
    row: Pick<TemplateRow, 'name' | 'language' | 'trouble' | 'coming'> & { body: object },
  ): Promise<void>
}
