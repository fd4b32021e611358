import type { Concern } from '../../contract/concerns.ts'
import { concern } from './concern.ts'
import type { ConcernFacts } from './facts.ts'

/** Concerns of programs that call and are refused. Pure. */
export const callerConcerns = ({ refusals = [], programs = [] }: ConcernFacts): Concern[] => [
  ...refusals.map(({ id, key, code, times, since }) =>
    concern('calls_refused', {
      id: `calls_refused/${id}`,
      program: key,
      detail: code,
      count: times,
      since,
      page: `/refused-calls?open=${id}`,
    }),
  ),
  ...programs.map(({ name, way, times, since }) =>
    concern(way === 'slip' ? 'program_nearly_right' : 'program_of_another_gateway', {
      id: `program/${name}`,
      detail: name,
      count: times,
      since,
      page: `/?program=${encodeURIComponent(name)}`,
      ...(way === 'none' ? { action: 'what_to_do' } : {}),
    }),
  ),
]
