import {
  type AuthenticationCreds,
  type BinaryNode,
  buildPairingQRData,
  S_WHATSAPP_NET,
  type WABrowserDescription,
  type WASocket,
} from 'baileys'
import type { Logger } from '../../../lib/logger.ts'
import { childrenOf } from '../library/nodes.ts'
import { takeOver } from '../library/take-over.ts'

const PAIR_DEVICE = 'CB:iq,type:set,pair-device'

/**
 * Takes the place of the library, whose own clock would end the line when its codes have run out,
 * also in the middle of a passkey's ceremony.
 */
export function answerPairDevice(
  sock: WASocket,
  {
    creds,
    browser,
    logger,
    onCodes,
  }: {
    creds: AuthenticationCreds
    browser: WABrowserDescription
    logger: Logger
    onCodes: (codes: string[]) => void
  },
): void {
  takeOver<BinaryNode>(sock, PAIR_DEVICE, (node) => {
    sock
      .sendNode({ tag: 'iq', attrs: { to: S_WHATSAPP_NET, type: 'result', id: node.attrs.id ?? '' } })
      .catch((err: unknown) => logger.debug({ err }, 'WhatsApp could not be told that codes are shown'))
    const keys = [creds.noiseKey.public, creds.signedIdentityKey.public].map((key) =>
      Buffer.from(key).toString('base64'),
    )
    const [noise = '', identity = ''] = keys
    onCodes(refsIn(node).map((ref) => buildPairingQRData(ref, noise, identity, creds.advSecretKey, browser)))
  })
}

const refsIn = (node: BinaryNode): string[] =>
  childrenOf(childrenOf(node)[0], 'ref').flatMap(({ content }) =>
    content instanceof Uint8Array ? [`${Buffer.from(content)}`] : [],
  )
