import { configOf } from './vitest.config.ts'

/** Three quarters of the time of all tests. `npm test` leaves them out, `npm run test:all` runs them. */
const LONG = [
  'test/cluster/**',
  'test/crash/**',
  'test/fuzz/**',
  'test/drill/!(judge).test.ts',
  'test/api/{auth,bad-bodies,charsets,field-sentences,files,suppressions,table-files,waha}.test.ts',
  'test/connections/linked/history-*.test.ts',
  'test/connections/official/{crash,options,overdue,second-road,second-road-linked}.test.ts',
  'test/connections/whatsapp-peer/**',
  'test/docs/{clients,other-clients,commands,shown-calls,backup-format}.test.ts',
  'test/drop-folder/{drop-folder,tables}.test.ts',
  'test/ops/{backup,backup-kill,backup-plan,cli,drop-folder-kill,doctor}.test.ts',
  'test/route/linked-trouble.test.ts',
  'test/shell/packaging.test.ts',
  'test/store/figures.test.ts',
  'test/webhooks/retries.test.ts',
  'test/window/!(first-start|home|navigation).test.ts',
]

export default configOf(
  LONG,
  'kills, nodes, most pages of the window, samples in other languages. All of them: npm run test:all',
)
