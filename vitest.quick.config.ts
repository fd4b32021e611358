import { configOf } from './vitest.config.ts'

/** More than half of the time of all tests. `npm test` leaves them out, `npm run test:all` runs them. */
const LONG = [
  'test/cluster/**',
  'test/crash/**',
  'test/fuzz/**',
  'test/drill/!(judge|plans).test.ts',
  'test/ops/{backup-kill,backup-plan,drop-folder-kill,doctor}.test.ts',
  'test/docs/{clients,other-clients,commands,shown-calls,backup-format}.test.ts',
  'test/connections/official/crash.test.ts',
  'test/connections/whatsapp-peer/**',
  'test/window/!(first-start|home|linking|log|write|settings|keys|navigation).test.ts',
]

export default configOf(
  LONG,
  'kills, nodes, most pages of the window, samples in other languages. All of them: npm run test:all',
)
