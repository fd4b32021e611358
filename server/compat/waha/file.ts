import { type DataFileForm, placesOfMember } from '../../http/data-file.ts'
import type { FormReader } from '../../http/form.ts'

/** The way in which WAHA has a file: `"file": { "data": "<base64>", "mimetype", "filename" }`. */
const FORM: DataFileForm = {
  *places(json) {
    for (const place of placesOfMember(json, 'data')) if (place.to > place.from) yield place
  },
  read(body, mark) {
    const { file } = body
    if (typeof file !== 'object' || file === null || !('data' in file) || file.data !== mark) return undefined
    const { data: _, ...others } = file as Record<string, unknown>
    return {
      name: others.filename,
      type: others.mimetype,
      withFile: (id) => ({ ...body, file: { ...others, file_id: id } }),
    }
  },
}

/** Reads JSON with a file in it; WAHA takes no forms. */
export const wahaFileReader = (reader: FormReader): FormReader => ({
  ...reader,
  takes: () => false,
  readDataFile: (json, contentType, caller) => reader.readDataFile(json, contentType, caller, FORM),
})
