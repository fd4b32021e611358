import { ApiError } from '../contract/errors.ts'
import { isLocalFile, type SendRequest, UPLOAD_SCHEME } from '../contract/send.ts'
import { TooManyWaiting } from '../lib/turns.ts'
import { FileNotAllowed } from '../media/local-file.ts'
import { FileRefused } from '../media/save.ts'
import { storageFull } from '../media/upload-room.ts'
import { type NewUpload, SENT_ALONG_FOR, type UploadRow, type Uploads } from '../media/uploads.ts'
import type { KeyRow } from '../store/index.ts'
import { fieldProblem, fileGone, invalidRequest } from '../words/errors.ts'
import type { MessageFiles } from './context.ts'
import type { AttachedFile } from './new-message.ts'

/**
 * Stores a file of a caller on disk.
 * @throws ApiError `invalid_request`, `payload_too_large`, `storage_full`, `rate_limited`: nothing
 *   was stored
 */
export const keepFile = (uploads: Uploads, upload: NewUpload): Promise<UploadRow> =>
  uploads.store(upload).catch(refuseFile)

/** Throws the ApiError that a fault means for the caller, or else the fault itself. */
export function refuseFile(error: unknown): never {
  throw asRefusal(error)
}

function asRefusal(error: unknown): unknown {
  if (error instanceof FileNotAllowed) return invalidRequest([fieldProblem('file', 'not_an_allowed_file')])
  if (error instanceof TooManyWaiting) {
    const message = 'Too many files are on their way from this key at once. Wait for some answers first.'
    return new ApiError('rate_limited', message, { retry_after: 1 })
  }
  if (error instanceof FileRefused) {
    if (error.reason === 'empty') return invalidRequest([fieldProblem('file', 'empty')])
    const what = error.kind === 'file' ? 'A file' : `A file of the kind ${error.kind}`
    return new ApiError('payload_too_large', `${what} may have ${error.cap / 1024 / 1024} MB. Nothing was accepted.`)
  }
  const code = (error as { code?: unknown } | null)?.code
  return code === 'ENOSPC' || code === 'EDQUOT' ? storageFull('The disk is full.') : error
}

const attached = ({ id, name, sha256 }: UploadRow): AttachedFile => ({ file: UPLOAD_SCHEME + id, name, sha256 })

/**
 * Runs `work` with the file of a request. A file on this PC is copied first, so that later changes
 * of it do not change the message; the copy is deleted if `work` fails.
 * @throws ApiError `invalid_request`, `payload_too_large`, `storage_full`, and any error of `work`
 */
export function withFile<T>(
  files: MessageFiles,
  { file, file_id: fileId }: SendRequest,
  key: KeyRow | null,
  work: (attached: AttachedFile | null) => Promise<T>,
): Promise<T> {
  // Not an async function, because most messages have no file and need not wait a turn.
  if (fileId != null) return uploadedFile(files, fileId, key).then(work)
  if (file === undefined) return work(null)
  return isLocalFile(file) ? withCopy(files, file, key, work) : work({ file, name: null, sha256: null })
}

async function uploadedFile({ uploads }: MessageFiles, id: string, key: KeyRow | null): Promise<AttachedFile> {
  const row = await uploads.get(id)
  // A key must not learn that another key's file exists. The owner may name any file.
  if (row === undefined || (key !== null && row.keyNumber !== key.number)) throw fileGone()
  return attached(row)
}

async function withCopy<T>(
  { uploads, openLocalFile }: MessageFiles,
  address: string,
  key: KeyRow | null,
  work: (attached: AttachedFile) => Promise<T>,
): Promise<T> {
  const { name, content } = await openLocalFile(address).catch(refuseFile)
  const upload = { content, name, contentType: undefined, keyNumber: key?.number ?? null, keptFor: SENT_ALONG_FOR }
  const row = await keepFile(uploads, upload).finally(() => content.destroy())
  try {
    return await work(attached(row))
  } catch (error) {
    // If the copy cannot be deleted now, a later sweep removes it.
    await uploads.discard(row.id).catch(() => undefined)
    throw error
  }
}
