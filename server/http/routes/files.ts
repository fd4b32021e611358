import type { IncomingMessage } from 'node:http'
import { keyOf } from '../../access/keys.ts'
import { type FileView, fileAnswer, fileHeaders } from '../../contract/files.ts'
import { isoTime } from '../../lib/clock.ts'
import { LARGEST_FILE } from '../../media/kind.ts'
import { STORED_FOR, type UploadRow, type Uploads } from '../../media/uploads.ts'
import { fieldProblem, invalidRequest } from '../../words/errors.ts'
import { readWhole, refuseTooLong, streamBody } from '../body.ts'
import { isForm } from '../form.ts'
import { type FileKeeper, type FormRooms, readForm } from '../multipart.ts'
import { defineRoute, ok, type Route } from '../route.ts'

const viewOf = (row: UploadRow): FileView => ({
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
    summary: 'Store a file that a message will name by its file_id',
    description:
      'The body is the file itself. Name it as `file_id` of /send within 24 hours; it is kept until its last message is final. 507 means that the room for files is used up.',
    upload: { type: 'application/octet-stream', headers: fileHeaders },
    answer: fileAnswer,
    handler: async ({ req, caller }) => {
      const keyNumber = keyOf(caller)?.number ?? null
      const files: FileKeeper<UploadRow> = {
        keep: (file) => uploads.store({ ...file, keyNumber, keptFor: STORED_FOR }),
        discard: ({ id }) => uploads.discard(id),
      }
      return ok(
        'File stored.',
        viewOf(isForm(req) ? await ofForm(req, files, rooms(caller)) : await ofBody(req, files.keep)),
      )
    },
  }),
]

async function ofForm(
  req: IncomingMessage,
  files: FileKeeper<UploadRow>,
  room: ReturnType<FormRooms>,
): Promise<UploadRow> {
  const { file } = await readForm(req, files, room)
  if (file === undefined) throw invalidRequest([fieldProblem('file', 'required')])
  return file
}

async function ofBody(req: IncomingMessage, keep: FileKeeper<UploadRow>['keep']): Promise<UploadRow> {
  refuseTooLong(req, LARGEST_FILE, `A file may have ${LARGEST_FILE / 1024 ** 2} MB. Nothing was accepted.`)
  return readWhole(req, () =>
    keep({
      name: nameOf(req),
      contentType: req.headers['content-type'],
      content: streamBody(req),
    }),
  )
}

/** Header values are ASCII, names are not. */
function nameOf(req: IncomingMessage): string | undefined {
  const header = req.headers['x-filename']
  try {
    return typeof header === 'string' ? decodeURIComponent(header) : undefined
  } catch {
    throw invalidRequest([fieldProblem('X-Filename', 'not_percent_encoded')])
  }
}
