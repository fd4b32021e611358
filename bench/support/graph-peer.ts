import { startGraphPeer } from '../../test/support/graph-peer/graph-peer.ts'
import { textTemplate } from '../../test/support/graph-peer/templates.ts'
import { reportReady } from './processes.ts'

/** Meta's stand-in in a process of its own. */
const peer = await startGraphPeer({ record: false })
peer.state.templates.push(textTemplate('invoice_ready', 'id', 'Halo {{1}}, tagihan {{2}} sebesar {{3}} sudah siap.'))
reportReady({ url: peer.url, token: peer.token, secret: peer.state.app.secret }, peer.close)
