export interface TemplateRow {
  name: string
  language: string
  /** As Meta lists it. */
  body: unknown
  syncedAt: number
  /** What a callback of Meta said, as long as the template cannot be sent because of it. */
  trouble: string | null
}

/** Meta's templates of each official sender, as they were last read. */
export interface TemplateStore {
  list(senderId: number): Promise<TemplateRow[]>
  /** All of a sender, or (with `name`) all languages of one template; what is not among `rows` is gone at Meta. */
  replace(
    senderId: number,
    name: string | null,
    rows: readonly { name: string; language: string; body: object; sendable: boolean }[],
    at: number,
  ): Promise<void>
  change(senderId: number, row: Pick<TemplateRow, 'name' | 'language' | 'trouble'> & { body: object }): Promise<void>
}
