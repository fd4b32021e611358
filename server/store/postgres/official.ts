import { integer } from '../columns.ts'
import {
  changeTemplate,
  FACTS,
  INBOX,
  type InboxStore,
  NO_FACTS,
  notesAfter,
  type OfficialFactsStore,
  putEarly,
  putFacts,
  STORED_TEMPLATE,
  TEMPLATE,
  TEMPLATE_KEY,
  type TemplateStore,
  templateKeyOf,
} from '../official.ts'
import { inPlace } from '../statements.ts'
import { type Context, insertMany, runBound } from './sql.ts'

export function createTemplates({ db, write, remember }: Context): TemplateStore {
  let revision = 0
  remember(['templates'], async () => {
    revision += 1
  })
  return {
    revision: () => revision,
    list: (senderId) => db.rows(TEMPLATE, 'FROM templates WHERE sender_id = $1 ORDER BY name, language', [senderId]),
    async replace(senderId, name, rows, syncedAt, whole) {
      const listed = new Map(rows.map((row) => [templateKeyOf(row), row]))
      await write(async (tx) => {
        tx.changed('templates')
        const before = await tx.rows(TEMPLATE, 'FROM templates WHERE sender_id = $1 FOR NO KEY UPDATE', [senderId])
        const known = new Map(before.map((row) => [templateKeyOf(row), row]))
        const put = [...listed].map(([key, row]) => ({
          ...row,
          ...notesAfter(row, known.get(key), syncedAt),
          senderId,
          syncedAt,
        }))
        void insertMany(tx, 'templates', STORED_TEMPLATE, put, inPlace(STORED_TEMPLATE, ...TEMPLATE_KEY))
        if (!whole) return
        void tx.run(
          `DELETE FROM templates WHERE sender_id = $1 AND ($2::text IS NULL OR name = $2)
             AND name || ' ' || language <> ALL ($3::text[])`,
          [senderId, name, [...listed.keys()]],
        )
      })
    },
    async change(senderId, row) {
      await write((tx) => {
        tx.changed('templates')
        return runBound(tx, changeTemplate(senderId, row))
      })
    },
  }
}

const FROM = 'FROM official_facts WHERE sender_id = $1'

export const createOfficialFacts = ({ db, write }: Context): OfficialFactsStore => ({
  get: async (senderId) => (await db.one(FACTS, FROM, [senderId])) ?? NO_FACTS,
  change: (senderId, decide) =>
    write(async (tx) => {
      // Insert a row to lock, so that neither of two first changes is lost.
      void tx.run('INSERT INTO official_facts (sender_id) VALUES ($1) ON CONFLICT DO NOTHING', [senderId])
      const before = (await tx.one(FACTS, `${FROM} FOR NO KEY UPDATE`, [senderId])) ?? NO_FACTS
      const facts = { ...before, ...decide(before) }
      void runBound(tx, putFacts({ senderId, ...facts }))
      return facts
    }),
})

export const applyingInbox = ({ db, write }: Context) =>
  ({
    waiting: (bytes) =>
      db.rows(
        INBOX,
        `FROM (SELECT *, sum(octet_length(body)) OVER (ORDER BY seq) - octet_length(body) AS bytes_before
         FROM meta_inbox WHERE applied_at IS NULL) AS waiting WHERE bytes_before < $1 ORDER BY seq`,
        [bytes],
      ),
    async applied(seqs, at) {
      await write((tx) =>
        tx.run(`UPDATE meta_inbox SET applied_at = $2, body = '' WHERE seq = ANY ($1::bigint[])`, [seqs, at]),
      )
    },
    keepEarly: (status) =>
      write(async (tx) => {
        const sent = 'FROM messages WHERE lane_id = $1 AND provider_message_id = $2 LIMIT 1'
        const found = await tx.one({ seq: integer('seq') }, sent, [status.senderId, status.providerMessageId])
        if (found !== undefined) return false
        void runBound(tx, putEarly(status))
        return true
      }),
  }) satisfies Partial<InboxStore>
