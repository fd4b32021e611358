import type { IncomingMessage } from 'node:http'
import { type FileView, fileAnswer, fileHeaders, sendAnswer, sendRequest } from '../../contract/send.ts'
import { isoTime } from '../../lib/clock.ts'
import { rawMember } from '../../lib/json.ts'
import { LARGEST_FILE } from '../../media/kind.ts'
import { STORED_FOR, type UploadRow, type Uploads } from '../../media/uploads.ts'
import { acceptRequest } from '../../messages/accept.ts'
import type { MessageContext } from '../../messages/context.ts'
import { keepFile } from '../../messages/files.ts'
import type { AsSent } from '../../messages/new-message.ts'
import { queuedView } from '../../messages/view.ts'
import { checkOwnSender, NO_GROUPS, pickSender } from '../../senders/pick.ts'
import { fieldProblem, invalidRequest } from '../../words/errors.ts'
import { readWhole, refuseTooLong, SEND_BODY_LIMIT, streamBody } from '../body.ts'
import { type FormReader, isForm } from '../form.ts'
import { type Idempotency, runOnce } from '../idempotency.ts'
import { keyOf } from '../keys.ts'
import { type FileKeeper, type FormRooms, readForm } from '../multipart.ts'
import { type Call, defineRoute, ok, type Route } from '../route.ts'

/** Returns the parts of a call that its message keeps as they came. */
export const asSent = ({ body, raw, unknownMembers }: Call<unknown, unknown, { metadata?: unknown }>): AsSent => ({
  // Searched only if the body has metadata, because most bodies are small and have none.
  metadata:
    body.metadata === undefined ? undefined : rawMember(raw.toString('utf8').replace(/^\ufeff/, ''), 'metadata'),
  unknownMembers,
})

export const sendRoutes = (context: MessageContext, readSendForm: FormReader, idempotency: Idempotency): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/send',
    auth: 'key_or_owner',
    tag: 'Sending',
    summary: 'Send a text or file from a linked number',
    description:
      "A 200 means that the message is stored on disk, in its sender's queue. Your webhook endpoints receive its status from then on, and `GET /messages/{id}` returns it.",
    errors: [404, 409, 422],
    body: sendRequest,
    bodyLimit: SEND_BODY_LIMIT,
    once: true,
    admit: (caller) => checkOwnSender(context.store.senders, keyOf(caller), 'linked'),
    form: readSendForm,
    answer: sendAnswer,
    handler: (call) =>
      runOnce(idempotency, call, '/send', (slot) => {
        const { body } = call
        const key = keyOf(call.caller)
        const description = body.group === undefined ? undefined : NO_GROUPS
        const sender = pickSender(context.store.senders, key, body.sender_code, 'linked', description)
        return acceptRequest(context, {
          sender,
          key,
          request: body,
          asSent: asSent(call),
          answer: (message) => ok('Message queued.', queuedView(message, sender.code)),
          slot,
        })
      }),
  }),
]

const fileView = (row: UploadRow): FileView => ({
  file_id: row.id,
  name: row.name,
  type: row.mimetype,
  size: row.size,
  sha256: row.sha256,
  expires_at: isoTime(row.expiresAt),
})

export const fileRoutes = (uploads: Uploads, rooms: FormRooms): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/files',
    auth: 'key_or_owner',
    tag: 'Sending',
    summary: 'Upload a file to send later',
    description:
      'The request body is the file itself, or a form with the part `file`. Send it with POST /send and the returned `file_id` within 24 hours, with the same API key. Kurir keeps the file until its last message has a final status. 507: no disk space is left for files.',
    upload: { type: 'application/octet-stream', headers: fileHeaders },
    answer: fileAnswer,
    handler: async ({ req, caller }) => {
      const keyNumber = keyOf(caller)?.number ?? null
      const files: FileKeeper<UploadRow> = {
        keep: (file) => keepFile(uploads, { ...file, keyNumber, keptFor: STORED_FOR }),
        discard: ({ id }) => uploads.discard(id),
      }
      return ok(
        'File stored.',
        fileView(isForm(req) ? await fileOfForm(req, files, rooms(caller)) : await fileOfBody(req, files.keep)),
      )
    },
  }),
]

async function fileOfForm(
  req: IncomingMessage,
  files: FileKeeper<UploadRow>,
  room: ReturnType<FormRooms>,
): Promise<UploadRow> {
  const { file } = await readForm(req, files, room)
  if (file === undefined) throw invalidRequest([fieldProblem('file', 'required')])
  return file
}

async function fileOfBody(req: IncomingMessage, keep: FileKeeper<UploadRow>['keep']): Promise<UploadRow> {
  refuseTooLong(req, LARGEST_FILE, `A file may have ${LARGEST_FILE / 1024 ** 2} MB. Nothing was accepted.`)
  return readWhole(req, () =>
    keep({
      name: nameOfFile(req),
      contentType: req.headers['content-type'],
      content: streamBody(req),
    }),
  )
}

/** Returns the percent-decoded `X-Filename`, because header values are ASCII and names are not. */
function nameOfFile(req: IncomingMessage): string | undefined {
  const header = req.headers['x-filename']
  try {
    return typeof header === 'string' ? decodeURIComponent(header) : undefined
  } catch {
    throw invalidRequest([fieldProblem('X-Filename', 'not_percent_encoded')])
  }
}
