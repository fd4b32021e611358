import { strToU8, zipSync } from 'fflate'
import { expect } from 'vitest'
import type { CheckView, TablePlan, TableView } from '../../server/slices/tables/contract.ts'
import { type Answer, SANDBOX, type TestApp } from './app.ts'

const head = '<?xml version="1.0" encoding="UTF-8"?>'
const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const relations = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

export interface Workbook {
  /** XML of the rows. */
  rows: string
  /** XML of the shared strings. */
  shared?: string
  /** XML before the sheet and the shared strings, such as a document type. */
  prolog?: string
  numberFormats?: string
}

/** Returns an XLSX file. Cell style 1 is a date, style 2 the first of `numberFormats`. */
export const workbook = ({ rows, shared = '', prolog = '', numberFormats = '' }: Workbook): Buffer =>
  Buffer.from(
    zipSync({
      '[Content_Types].xml': strToU8(`${head}<Types/>`),
      'xl/workbook.xml': strToU8(
        `${head}<workbook ${main} xmlns:r="${office}"><sheets><sheet name="Hidden" sheetId="9" state="hidden" r:id="rId9"/><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>`,
      ),
      'xl/_rels/workbook.xml.rels': strToU8(
        `${head}<Relationships ${relations}><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/first.xml"/></Relationships>`,
      ),
      'xl/styles.xml': strToU8(
        `${head}<styleSheet ${main}><numFmts>${numberFormats}</numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/></cellXfs></styleSheet>`,
      ),
      'xl/sharedStrings.xml': strToU8(`${head}${prolog}<sst ${main}>${shared}</sst>`),
      'xl/worksheets/first.xml': strToU8(
        `${head}${prolog}<worksheet ${main}><sheetData>${rows}</sheetData></worksheet>`,
      ),
    }),
  )

export const take = (app: TestApp, body: string | Buffer, name = 'customers.csv'): Promise<Answer<TableView>> =>
  app.owner<TableView>('/api/tables', {
    body,
    headers: { 'content-type': 'application/octet-stream', 'x-filename': encodeURIComponent(name) },
  })

export type Plan = Partial<TablePlan> & Pick<TablePlan, 'phone_column' | 'message'>

const whole = (plan: Plan) => ({ sender_code: SANDBOX, ...plan })

export async function check(app: TestApp, id: string, plan: Plan): Promise<CheckView> {
  const { status, body } = await app.owner<CheckView>(`/api/tables/${id}/check`, { body: whole(plan) })
  expect([status, body.message]).toEqual([200, 'Checked.'])
  return body.data
}

export const send = (app: TestApp, id: string, plan: Plan, count: number): Promise<Answer<TableView>> =>
  app.owner<TableView>(`/api/tables/${id}/send`, { body: { ...whole(plan), count } })

export const act = (app: TestApp, id: string, action: string): Promise<Answer<TableView>> =>
  app.owner<TableView>(`/api/tables/${id}/action`, { body: { action } })

export const view = async (app: TestApp, id: string): Promise<TableView> =>
  (await app.owner<TableView>(`/api/tables/${id}`)).body.data
