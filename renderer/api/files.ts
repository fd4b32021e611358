import { type FileView, fileAnswer } from '../../server/contract/send.ts'
import { upload } from './upload.ts'

/** Uploads a file for a message that is sent later. */
export async function storeFile(file: File, onPercent?: (percent: number) => void): Promise<FileView> {
  const headers = {
    'x-filename': encodeURIComponent(file.name),
    'content-type': file.type || 'application/octet-stream',
  }
  return (await upload(fileAnswer, '/files', file, headers, onPercent)).data
}
