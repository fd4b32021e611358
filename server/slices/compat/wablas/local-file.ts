import { type DataFileForm, placesOfMember } from '../../../http/data-file.ts'
import type { FormReader } from '../../../http/form.ts'
import { fieldProblem, invalidRequest } from '../../../words/errors.ts'

/** Returns a file's original name from `data`, which is PHP's `$_FILES` entry as JSON. Pure. */
function nameIn(data: unknown): unknown {
  try {
    return (typeof data === 'string' ? JSON.parse(data) : data)?.name
  } catch {
    return undefined
  }
}

/** Wablas' form of a file in a body: base64 in `file`, and its name in `data`. */
const LOCAL_FORM: DataFileForm = {
  *places(json) {
    for (const place of placesOfMember(json, 'file')) if (place.to > place.from) yield place
  },
  isFile: () => true,
  read({ file, data, ...others }, mark) {
    if (file !== mark) return undefined
    if (others.file_id != null) throw invalidRequest([fieldProblem('file_id', 'not_together', { other: 'file' })])
    const name = others.filename || others.name_file || nameIn(data)
    return { name, withFile: (file_id) => ({ ...others, file_id }) }
  },
}

export const localReader = (reader: FormReader): FormReader => ({
  ...reader,
  read: (req, caller) => reader.read(req, caller, LOCAL_FORM),
  readDataFile: (json, contentType, caller) => reader.readDataFile(json, contentType, caller, LOCAL_FORM),
})
