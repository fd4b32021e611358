import { ConnectionLost, problemOf } from '../api/client.ts'

/**
 * Sends a file. `onPercent` hears how much has left, 0 to 100; fetch cannot tell that, so it is an XMLHttpRequest.
 * @throws {ApiError}; {ConnectionLost}
 */
export function upload(
  path: string,
  file: File,
  headers: Record<string, string>,
  onPercent: (percent: number) => void,
): Promise<void> {
  const request = new XMLHttpRequest()
  request.open('POST', path)
  request.setRequestHeader('content-type', 'application/octet-stream')
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
  request.upload.onprogress = ({ loaded, total }) => onPercent(Math.round((100 * loaded) / total))
  return new Promise((resolve, reject) => {
    request.onerror = () => reject(new ConnectionLost(`${path} cannot be reached`))
    request.onload = () => {
      if (request.status < 300) resolve()
      else problemOf(path, new Response(request.responseText, { status: request.status })).then(reject, reject)
    }
    request.send(file)
  })
}
