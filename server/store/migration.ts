/** One step of a schema. The version rises by one from step to step; each engine counts its own. */
export interface Migration {
  version: number
  sql: string
}
