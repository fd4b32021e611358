import { pipeline } from 'node:stream'
import { createInflate } from 'node:zlib'
import { jidDecode } from 'baileys'
import type { TokenEntry } from '../account/trust.ts'
import { TIMERS } from '../library/bounds.ts'
import { createWireReader, type Field, WIRE, type WireReader } from './wire-reader.ts'

/** A contact as a chat of the history describes it. Texts, names and messages are not read. */
export interface HistoryChat {
  kind: 'chat'
  /** Digits; null: the history names only the LID. */
  phone: string | null
  /** User part of the LID; null: unknown. */
  lid: string | null
  /**
   * When the last message was written, in milliseconds since 1970; null: the history does not say.
   */
  lastMessageAt: number | null
  token: TokenEntry | null
  /**
   * How long messages of this chat stay before they disappear; `setAt` is in seconds since 1970.
   * Null: no known timer.
   */
  timer: { seconds: number; setAt: number } | null
}

export type HistoryItem =
  | HistoryChat
  /** A phone number and the LID of the same person. */
  | { kind: 'pair'; phone: string; lid: string }
  /** The salt for this account's cstokens. */
  | { kind: 'salt'; salt: Buffer }
  /** When the phone moved its chats to LIDs, in seconds since 1970. */
  | { kind: 'migrated'; at: number }

/** In bytes. A chunk of the history inflates to 5 to 20 MB, rarely to 50. */
const MOST_BYTES = 64 * 1024 * 1024
const INFLATE_PIECE = 64 * 1024
const LONGEST_JID = 256
const LONGEST_TOKEN = 4096

/**
 * Numbers of the HistorySync fields that are read (Baileys 7.0.0-rc14 WAProto; nctSalt: whatsmeow
 * 33cfac51).
 */
const TOP = { conversations: 2, globalSettings: 8, pairs: 15, nctSalt: 19 } as const
const SETTINGS = { migratedAt: 20 } as const
const PAIR = { pnJid: 1, lidJid: 2 } as const
const CHAT = {
  id: 1,
  newJid: 3,
  lastMsgTimestamp: 5,
  ephemeralExpiration: 9,
  conversationTimestamp: 12,
  ephemeralSettingTimestamp: 10,
  tcToken: 21,
  tcTokenTimestamp: 22,
  tcTokenSenderTimestamp: 28,
  pnJid: 39,
  lidJid: 42,
  accountLid: 49,
} as const

type Address = { phone: string } | { lid: string } | undefined

/**
 * Returns a person's address; undefined for groups, lists and channels, and for the zeros that
 * stand for no one.
 */
function addressOf(jid: string | undefined): Address {
  const decoded = jidDecode(jid)
  if (decoded?.user === undefined || !/^[1-9]\d{4,19}$/.test(decoded.user)) return undefined
  // `c.us` is the older server name of phone numbers, which the history still contains.
  if (['s.whatsapp.net', 'c.us'].includes(decoded.server)) return { phone: decoded.user }
  return decoded.server === 'lid' ? { lid: decoded.user } : undefined
}

const phoneOf = (address: Address): string | null => (address && 'phone' in address ? address.phone : null)
const lidOf = (address: Address): string | null => (address && 'lid' in address ? address.lid : null)

async function textOf(reader: WireReader, field: Field): Promise<string | undefined> {
  return (await reader.bytes(field, LONGEST_JID))?.toString()
}

/** Reads the fields of a part that is `length` bytes long, and skips fields without a reader. */
async function readFields(
  reader: WireReader,
  { length }: Field,
  read: Readonly<Record<number, ((field: Field) => Promise<void> | void) | undefined>>,
): Promise<void> {
  const end = reader.position() + length
  for (let field = await reader.field(end); field !== undefined; field = await reader.field(end)) {
    const from = reader.position()
    await read[field.number]?.(field)
    // A reader that expects another wire type has read nothing.
    if (field.wire === WIRE.bytes && reader.position() === from) await reader.skip(field)
  }
}

async function readChat(reader: WireReader, conversation: Field): Promise<HistoryChat | undefined> {
  const jids: Partial<Record<'id' | 'newJid' | 'pnJid' | 'lidJid' | 'accountLid', string | undefined>> = {}
  const numbers: Partial<Record<keyof typeof CHAT, number>> = {}
  let token: Buffer | undefined

  const jid = (name: keyof typeof jids) => async (field: Field) => {
    if (field.wire === WIRE.bytes) jids[name] = await textOf(reader, field)
  }
  const number = (name: keyof typeof CHAT) => (field: Field) => {
    if (field.wire === WIRE.varint) numbers[name] = field.value
  }
  await readFields(reader, conversation, {
    [CHAT.id]: jid('id'),
    [CHAT.newJid]: jid('newJid'),
    [CHAT.pnJid]: jid('pnJid'),
    [CHAT.lidJid]: jid('lidJid'),
    [CHAT.accountLid]: jid('accountLid'),
    [CHAT.lastMsgTimestamp]: number('lastMsgTimestamp'),
    [CHAT.conversationTimestamp]: number('conversationTimestamp'),
    [CHAT.ephemeralExpiration]: number('ephemeralExpiration'),
    [CHAT.ephemeralSettingTimestamp]: number('ephemeralSettingTimestamp'),
    [CHAT.tcTokenTimestamp]: number('tcTokenTimestamp'),
    [CHAT.tcTokenSenderTimestamp]: number('tcTokenSenderTimestamp'),
    async [CHAT.tcToken](field) {
      if (field.wire === WIRE.bytes) token = await reader.bytes(field, LONGEST_TOKEN)
    },
  })

  const own = addressOf(jids.newJid) ?? addressOf(jids.id)
  if (own === undefined) return undefined
  const lid = lidOf(own) ?? lidOf(addressOf(jids.lidJid)) ?? lidOf(addressOf(jids.accountLid))
  const lastAt = Math.max(numbers.lastMsgTimestamp ?? 0, numbers.conversationTimestamp ?? 0)
  const timerSetAt = numbers.ephemeralSettingTimestamp ?? 0
  return {
    kind: 'chat',
    phone: phoneOf(own) ?? phoneOf(addressOf(jids.pnJid)),
    lid,
    lastMessageAt: isTime(lastAt) ? lastAt * 1000 : null,
    token: tokenEntry(token, numbers.tcTokenTimestamp, numbers.tcTokenSenderTimestamp),
    timer:
      numbers.ephemeralExpiration === undefined || !TIMERS.has(numbers.ephemeralExpiration)
        ? null
        : { seconds: numbers.ephemeralExpiration, setAt: isTime(timerSetAt) ? timerSetAt : 0 },
  }
}

/** True for a time in seconds since 1970 that is above 0 and below ten thousand years. */
const isTime = (seconds: number): boolean => seconds > 0 && seconds < 3e11

function tokenEntry(token: Buffer | undefined, at = 0, issuedAt = 0): TokenEntry | null {
  const has = token !== undefined && token.length > 0 && isTime(at)
  if (!has && !isTime(issuedAt)) return null
  return {
    ...(has ? { token, timestamp: String(at) } : {}),
    ...(isTime(issuedAt) ? { senderTimestamp: issuedAt } : {}),
  }
}

async function readPair(reader: WireReader, pair: Field): Promise<HistoryItem | undefined> {
  let phone: string | null = null
  let lid: string | null = null
  await readFields(reader, pair, {
    async [PAIR.pnJid](field) {
      if (field.wire === WIRE.bytes) phone = phoneOf(addressOf(await textOf(reader, field)))
    },
    async [PAIR.lidJid](field) {
      if (field.wire === WIRE.bytes) lid = lidOf(addressOf(await textOf(reader, field)))
    },
  })
  return phone === null || lid === null ? undefined : { kind: 'pair', phone, lid }
}

async function readSettings(reader: WireReader, settings: Field): Promise<HistoryItem | undefined> {
  let at = 0
  await readFields(reader, settings, {
    [SETTINGS.migratedAt](field) {
      if (field.wire === WIRE.varint) at = field.value
    },
  })
  return isTime(at) ? { kind: 'migrated', at } : undefined
}

async function readSalt(reader: WireReader, field: Field): Promise<HistoryItem | undefined> {
  const salt = await reader.bytes(field, LONGEST_TOKEN)
  return salt === undefined || salt.length === 0 ? undefined : { kind: 'salt', salt }
}

const READERS: Readonly<Record<number, (reader: WireReader, field: Field) => Promise<HistoryItem | undefined>>> = {
  [TOP.conversations]: readChat,
  [TOP.globalSettings]: readSettings,
  [TOP.pairs]: readPair,
  [TOP.nctSalt]: readSalt,
}

/**
 * Reads contacts from a chunk of the history, in the chunk's order
 * (docs/decisions/0014-contacts.md). Inflates and reads the chunk piece by piece, and keeps no
 * messages.
 * @param compressed a HistorySync in zlib's format
 * @throws if the chunk is damaged or larger than 64 MB; items yielded before may be incomplete
 */
export async function* readHistory(compressed: AsyncIterable<Uint8Array>): AsyncGenerator<HistoryItem> {
  const reader = createWireReader(inflate(compressed), MOST_BYTES)
  for (let field = await reader.field(); field !== undefined; field = await reader.field()) {
    if (field.wire !== WIRE.bytes) continue
    const read = READERS[field.number]
    if (read === undefined) await reader.skip(field)
    else {
      const item = await read(reader, field)
      if (item !== undefined) yield item
    }
  }
}

function inflate(compressed: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const inflater = createInflate({ chunkSize: INFLATE_PIECE })
  // The code that reads from the inflater receives errors of both streams.
  pipeline(compressed, inflater, () => undefined)
  return inflater
}
