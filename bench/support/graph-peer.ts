import { startGraphPeer } from '../../test/support/graph-peer/graph-peer.ts'
import { reportReady } from './processes.ts'

/** Meta, in a process of its own. */
const peer = await startGraphPeer({ record: false })
reportReady({ url: peer.url, token: peer.token }, peer.close)
