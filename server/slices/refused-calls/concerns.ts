import type { Concern } from '../../contract/concerns.ts'
import { concern } from '../../health/concerns/concern.ts'

/** Calls of one program that were refused for one reason. */
export interface RefusalFacts {
  id: string
  /** Name of its API key, where it has one. */
  key: string | null
  /** Code of the error. */
  code: string
  times: number
  since: number
}

/** Programs of this PC that call as they would call a gateway. */
export interface ProgramFacts {
  /** The gateway. */
  name: string
  /** How they come in: Kurir answers as the gateway; they are nearly right; not at all. */
  way: 'mouth' | 'slip' | 'none'
  times: number
  since: number
}

/** Tells of one program that is refused again and again. Pure. */
export const refusalConcern = ({ id, key, code, times, since }: RefusalFacts): Concern =>
  concern('calls_refused', {
    id: `calls_refused/${id}`,
    program: key,
    detail: code,
    count: times,
    since,
    page: `/refused-calls?open=${id}`,
  })

/** Tells of programs that were written for one other gateway. Pure. */
export const programConcern = ({ name, way, times, since }: ProgramFacts): Concern =>
  concern(way === 'slip' ? 'program_nearly_right' : 'program_of_another_gateway', {
    id: `program/${name}`,
    detail: name,
    count: times,
    since,
    page: `/?program=${encodeURIComponent(name)}`,
    ...(way === 'none' ? { action: 'what_to_do' } : {}),
  })
