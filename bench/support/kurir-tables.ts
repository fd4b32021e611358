import { startBuilt } from './built.ts'
import { reportReady } from './processes.ts'
import { answerForStretches } from './stretches.ts'

/** Kurir as shipped. Its main thread is watched while it checks tables. */
const [home = ''] = process.argv.slice(2)
const { app } = await startBuilt(home)
answerForStretches()
reportReady({ origin: app.apiUrl(), owner: app.ownerToken }, app.close)
