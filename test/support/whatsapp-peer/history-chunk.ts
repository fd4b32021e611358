import { deflateSync } from 'node:zlib'
import { proto } from 'baileys'

export interface HistoryChat {
  /** Address of a number, a LID or a group. */
  id: string
  pnJid?: string
  lidJid?: string
  /** Seconds since 1970. */
  lastMessageAt?: number
  token?: { bytes: Buffer; at: number }
  tokenIssuedAt?: number
  timer?: { seconds: number; setAt: number }
  /** One message each. */
  texts?: string[]
}

export interface HistoryChunk {
  type?: proto.HistorySync.HistorySyncType
  chats?: HistoryChat[]
  pairs?: { pnJid: string; lidJid: string }[]
  /** Time at which the account moved to LIDs, in seconds since 1970. */
  migratedAt?: number
  salt?: Buffer
  /** Minimum size of the chunk before compression, in bytes; messages are added to reach it. */
  atLeast?: number
}

/** Field numbers for what the library's own schema lacks. */
const NCT_SALT = 19
const CONVERSATIONS = 2
const MESSAGES = 2

function varint(value: number): Buffer {
  const bytes: number[] = []
  let left = value
  for (; left > 0x7f; left = Math.floor(left / 128)) bytes.push((left % 128) | 0x80)
  return Buffer.from([...bytes, left])
}
export const lengthDelimited = (field: number, content: Uint8Array): Buffer =>
  Buffer.concat([varint(field * 8 + 2), varint(content.length), content])

function message(id: string, index: number, text: string): proto.IHistorySyncMsg {
  return {
    message: {
      key: { remoteJid: id, fromMe: index % 2 === 0, id: `HIST${index}` },
      messageTimestamp: 1_700_000_000 + index,
      message: { conversation: text },
    },
    msgOrderId: index,
  }
}

function conversation(chat: HistoryChat): proto.IConversation {
  const { id, pnJid, lidJid, lastMessageAt, token, tokenIssuedAt, timer, texts = [] } = chat
  return {
    id,
    messages: texts.map((text, index) => message(id, index, text)),
    ...(pnJid === undefined ? {} : { pnJid }),
    ...(lidJid === undefined ? {} : { lidJid }),
    ...(lastMessageAt === undefined ? {} : { conversationTimestamp: lastMessageAt, lastMsgTimestamp: lastMessageAt }),
    ...(token === undefined ? {} : { tcToken: token.bytes, tcTokenTimestamp: token.at }),
    ...(tokenIssuedAt === undefined ? {} : { tcTokenSenderTimestamp: tokenIssuedAt }),
    ...(timer === undefined ? {} : { ephemeralExpiration: timer.seconds, ephemeralSettingTimestamp: timer.setAt }),
  }
}

/** Returns a group chat with so many bytes of messages. Groups have no contacts. */
function padding(bytes: number): Buffer[] {
  const id = '120363000000000000@g.us'
  const text = 'A message of the history that nobody should keep. '.repeat(20)
  const one = lengthDelimited(MESSAGES, proto.HistorySyncMsg.encode(message(id, 1, text)).finish())
  const head = proto.Conversation.encode({ id }).finish()
  const body = Buffer.concat([head, ...Array.from({ length: Math.ceil(bytes / one.length) }, () => one)])
  return [lengthDelimited(CONVERSATIONS, body)]
}

/** Returns a HistorySync as a phone sends it, compressed with zlib, with its size before that. */
export function historyChunk({ type, chats = [], pairs = [], migratedAt, salt, atLeast = 0 }: HistoryChunk) {
  const known = proto.HistorySync.encode({
    syncType: type ?? proto.HistorySync.HistorySyncType.INITIAL_BOOTSTRAP,
    conversations: chats.map(conversation),
    chunkOrder: 1,
    progress: 100,
    phoneNumberToLidMappings: pairs,
    ...(migratedAt === undefined ? {} : { globalSettings: { chatDbLidMigrationTimestamp: migratedAt } }),
  }).finish()
  const parts: Uint8Array[] = [known]
  if (salt !== undefined) parts.push(lengthDelimited(NCT_SALT, salt))
  // Padding goes first, so that a reader must skip it to get to the rest.
  const missing = atLeast - parts.reduce((sum, { length }) => sum + length, 0)
  if (missing > 0) parts.unshift(...padding(missing))
  const inflated = Buffer.concat(parts)
  return { inflated: inflated.length, compressed: deflateSync(inflated) }
}
