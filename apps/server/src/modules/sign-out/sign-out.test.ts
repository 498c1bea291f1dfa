import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { extractText, getDocumentProxy } from 'unpdf'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { makePdf, proofOf } from '../../../test/report-files.ts'
import { unzip } from '../../../test/unzip.ts'
import { sendToStore } from '../../../test/uploads.ts'
import { auditKey } from '../../platform/audit/key.ts'
import { sealAudit } from '../../platform/audit/seal.ts'
import { verifySignatures } from './verify.ts'

const test = openTestApp()
const password = 'Correct-Horse-2026!'
let admin: Caller
let staff: Caller

beforeAll(async () => {
  admin = await test.as('ADM')
  staff = await test.as('STF')
})

const query = async (text: string, values: unknown[] = []) => (await test.database.owner.query(text, values)).rows

/** A signed-in person with a password, and with the right to sign for these laboratories. */
const signer = async (...labIds: number[]) => {
  const caller = await test.as('MGMT')
  const [user] = await query('select user_name, phone from app_user where id = $1', [caller.userId])
  await test.services.identity.createUser(test.database.db, {
    userId: caller.userId,
    userName: user.user_name,
    temporaryPassword: password,
  })
  await test.services.identity.setPassword(test.database.db, user.user_name, password, true)
  for (const labId of labIds) await grant(caller.userId, labId)
  const sentCode = async () => {
    expect((await caller.post('reports/sign/code', {})).body.data).toEqual({ channel: 'SMS' })
    const [message] = await query('select body from outbox_message where recipient = $1 order by id desc limit 1', [
      user.phone,
    ])
    return /\d{6}/.exec(message.body)?.[0] as string
  }
  return { caller, sentCode, userName: user.user_name as string }
}

const grant = (userId: number, labId: number, over: object = {}) =>
  admin.post(`labs/${labId}/signers`, {
    userId,
    deptIds: [],
    qualifications: 'MD, FCAP',
    identityCheckedBy: 'Human resources, passport seen',
    validFrom: '2026-01-01',
    validTo: null,
    ...over,
  })

const signingLab = async () => (await test.given.lab({ is_signature_required: true })).id

/** A report of two results that waits for lab QC; the first one is high unless another value is given. */
const waiting = async (labId: number, { cholesterol = '251', lastName = 'Doe' } = {}) => {
  const patient = await test.given.patient({ last_name: lastName, first_name: 'Jane' })
  const { id: reqId } = await test.given.requisition({ lab_id: labId, patient_id: patient.id, status_code: 'RESULT' })
  const values = { CHOL: cholesterol, HDL: '70' }
  for (const [code, value] of Object.entries(values))
    await test.given.orderedTest(reqId, code, {
      result: value,
      result_num: value,
      reportable_result: value,
      interpretation: 'Normal',
    })
  const { body } = await staff.post(`requisitions/${reqId}/reports/make`, {})
  return { reqId, id: body.data.id as number }
}

const shown = async (caller: Caller, id: number): Promise<string> =>
  (await caller.get(`sign_out/${id}`)).body.data.contentSha256

const approve = async (caller: Caller, id: number, over: object = {}) =>
  caller.post('reports/sign', {
    reports: [{ id, contentSha256: await shown(caller, id) }],
    meaningCode: 'APPROVE',
    password,
    ...over,
  })

const release = (reqId: number, id: number) =>
  staff.put(`requisitions/${reqId}/reports/${id}`, { labQcStatusCode: 'RELEASE' })

const bytesOf = async (url: string) => {
  const response = await test.app.inject({
    method: 'GET',
    url: new URL(url, 'http://localhost').pathname + new URL(url, 'http://localhost').search,
  })
  return response.rawPayload
}
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

describe('what waits for a signature', () => {
  it('SOUT-02 lists critical reports first, then those that need a look, and names who may sign', async () => {
    const labId = await signingLab()
    const { caller } = await signer(labId)
    const normal = await waiting(labId, { cholesterol: '150' })
    const abnormal = await waiting(labId, { lastName: 'Castellano' })
    const { body } = await caller.get(`sign_out?filter=[labId:${labId}]`)
    expect(body.total).toBe(2)
    expect(body.data).toMatchObject([
      {
        reportId: abnormal.id,
        reqId: abnormal.reqId,
        versionNo: 1,
        labId,
        patientLastName: 'Castellano',
        testCodes: ['CHOL', 'HDL'],
        isAbnormal: 1,
        isCorrected: 0,
        needsLook: 1,
        mayUserSign: 1,
      },
      { reportId: normal.id, isAbnormal: 0, mayUserSign: 1 },
    ])
    const rows = async (filter: string) =>
      (await staff.get(`sign_out?filter=[labId:${labId},${filter}]`)).body.data.map(
        ({ reportId, mayUserSign }: { reportId: number; mayUserSign: number }) => [reportId, mayUserSign],
      )
    expect(await rows('isAbnormal:0')).toEqual([[normal.id, 0]])
    expect(await rows('search:castell')).toEqual([[abnormal.id, 0]])
    expect((await (await test.as('CLNT')).get('sign_out')).status).toBe(403)
  })

  it('SOUT-02 shows the page as it will be signed with its hash, the checks and the earlier values', async () => {
    const labId = await signingLab()
    const { id } = await waiting(labId)
    const { data } = (await staff.get(`sign_out/${id}`)).body
    expect(data.contentSha256).toMatch(/^[0-9a-f]{64}$/)
    expect(data.checks.map(({ state }: { state: string }) => state)).not.toContain('FAIL')
    expect(data.previous.map(({ testCode }: { testCode: string }) => testCode)).toEqual(['CHOL', 'HDL'])
    expect((await bytesOf(data.url)).subarray(0, 5).toString()).toBe('%PDF-')
    expect((await staff.get('sign_out/999999')).status).toBe(404)
  })

  it('SOUT-02 refuses a release by lab QC with the reason where a signature is required', async () => {
    const labId = await signingLab()
    const { reqId, id } = await waiting(labId)
    const { status, body } = await release(reqId, id)
    expect([status, body.current.reason]).toEqual([409, expect.stringContaining('by signature only')])
    expect((await staff.get(`requisitions/${reqId}/reports`)).body.data[0].labQcStatusCode).toBe('PENDING')
  })

  it('SOUT-02 answers a bulk move that releases nothing for lack of a signature by 409 with the reason; beside others that move, it is named', async () => {
    const { reqId } = await waiting(await signingLab())
    const { reqId: other, id } = await waiting((await test.given.lab()).id)
    await release(other, id)
    await query("update requisition set status_code = 'REPORT', is_dem_qc_pass = true where id = any($1)", [
      [reqId, other],
    ])
    const move = (...ids: number[]) =>
      staff.put(`requisitions/REPORT/next_status/bulk_move?id=${ids.join(',')}`, { callSource: 'REPORT' })
    const alone = await move(reqId)
    const why = `Requisition #${reqId} has no signed report: `
    expect([alone.status, alone.body.current.reason]).toEqual([409, expect.stringContaining(why)])
    expect(alone.body.message).toContain('by signature only')
    const both = await move(reqId, other)
    expect([both.status, both.body.data.moved]).toEqual([200, [other]])
    expect(both.body.data.refused).toMatchObject([{ id: reqId, reason: expect.stringContaining(why) }])
  })

  it('SOUT-02 answers a bulk release that releases nothing for lack of a signature by 409 with the reason; its dry run names it', async () => {
    const { reqId } = await waiting(await signingLab())
    const { reqId: other } = await waiting((await test.given.lab()).id)
    const releaseAll = (reqIds: number[], dryRun = false) => staff.post('requisitions/bulk_release', { reqIds, dryRun })
    const refused = [{ id: reqId, reason: expect.stringContaining('by signature only') }]
    const dry = await releaseAll([reqId], true)
    expect([dry.status, dry.body.data]).toMatchObject([200, { moved: [], refused }])
    const alone = await releaseAll([reqId])
    expect([alone.status, alone.body.current]).toMatchObject([
      409,
      { reason: expect.stringContaining('by signature only'), refused },
    ])
    const both = await releaseAll([reqId, other])
    expect([both.status, both.body.data]).toMatchObject([200, { moved: [other], refused }])
  })

  it('SOUT-02 refuses to release a requisition by status select where no report was signed', async () => {
    const { reqId } = await waiting(await signingLab())
    await query("update requisition set status_code = 'REPORT', is_dem_qc_pass = true where id = $1", [reqId])
    for (const reqStatusCode of ['RELEASE', 'DELIVER']) {
      const { status, body } = await admin.put(`requisitions/${reqId}`, { reqStatusCode })
      expect([status, body.message]).toEqual([409, expect.stringContaining('by signature only')])
    }
    expect((await staff.get(`requisitions/${reqId}`)).body.data.reqStatusCode).toBe('REPORT')
  })

  it('SOUT-02 does not release a file made elsewhere by the signature of what the record said before', async () => {
    const labId = await signingLab()
    const { caller, sentCode } = await signer(labId)
    const { reqId } = await waiting(labId)
    const slot = await staff.post(`requisitions/${reqId}/upload`, { fileName: 'final.pdf', docTypeCode: 'REPORT' })
    const proof = await proofOf(test.database.owner, reqId)
    const file = await makePdf((page) => page.text(`${proof}\nmade elsewhere`))
    expect(await sendToStore(test, slot.body.data.fields, file)).toBe(204)
    const saved = await staff.post(`requisitions/${reqId}/reports`, {
      reportFileName: slot.body.data.newFileName,
      reportOriginalFileName: 'final.pdf',
    })
    expect([saved.status, saved.body.message]).toEqual([200, 'Report Uploaded'])
    const id = saved.body.data.id as number
    expect((await approve(caller, id, { code: await sentCode() })).status).toBe(200)
    const decide = (labQcStatusCode: string) =>
      staff.put(`requisitions/${reqId}/reports/${id}`, { labQcStatusCode, answers: { RECORD_CHANGED: 'SAVE' } })
    await decide('HOLD')
    await admin.put(`labs/${labId}`, { labAddr1: '2 New Street' })
    expect((await decide('RELEASE')).status).toBe(200)
    await decide('HOLD')
    await query(
      "update requisition_test set reportable_result = '260', result = '260', result_num = 260 where requisition_id = $1 and result = '251'",
      [reqId],
    )
    const refused = await decide('RELEASE')
    expect([refused.status, refused.body.current.reason]).toEqual([409, expect.stringContaining('has changed since')])
  })
})

describe('the checks of a report', () => {
  it('SOUT-06 are in the answer to a release of a report that the record contradicts, or with results to be looked at again', async () => {
    const labId = (await test.given.lab()).id
    const [changed, doubtful] = [await waiting(labId), await waiting(labId)]
    await query(
      "update requisition_test set result = '300', reportable_result = '300' where requisition_id = $1 and result = '251'",
      [changed.reqId],
    )
    const [{ id: instrumentId }] = await query(
      "insert into instrument (name, lab_id, protocol) values ('Doubtful', $1, 'ASTM') returning id",
      [labId],
    )
    const [{ id: testRow, test_id: testId }] = await query(
      "select id, test_id from requisition_test where requisition_id = $1 and result = '251'",
      [doubtful.reqId],
    )
    const run = { instrument_id: instrumentId, test_id: testId, state: 'REJECTED', ran_at: new Date().toISOString() }
    const { id: runId } = await test.given.store('qc_run', { ...run, rules: '[]' })
    const lookback = { qc_run_id: runId, requisition_id: doubtful.reqId, requisition_test_id: testRow }
    await test.given.store('qc_lookback', { ...lookback, value: '251', is_released: false })
    for (const [{ reqId, id }, code, words] of [
      [changed, 'CURRENT', 'The record has changed'],
      [doubtful, 'QUALITY_CONTROL', 'quality control'],
    ] as const) {
      const { status, body } = await release(reqId, id)
      expect([status, body.message]).toEqual([409, expect.stringContaining(words)])
      const failed = body.current.checks.filter(({ state }: { state: string }) => state === 'FAIL')
      expect(failed).toMatchObject([{ code, tabSlug: expect.any(String) }])
    }
  })

  const stateOf = async (id: number, code: string) =>
    (await staff.get(`reports/${id}/checks`)).body.data.find((check: { code: string }) => check.code === code).state

  it('SOUT-06 stop the release with 409 and the checks, in words, until the record of the laboratory is complete', async () => {
    const { id: labId } = await test.given.lab({ addr1: null })
    const { reqId, id } = await waiting(labId)
    const refused = await release(reqId, id)
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('no complete address')])
    const failed = refused.body.current.checks.filter(({ state }: { state: string }) => state === 'FAIL')
    expect(failed).toMatchObject([{ code: 'LAB_ADDRESS', title: expect.any(String), detail: expect.any(String) }])
    expect(await stateOf(id, 'LAB_ADDRESS')).toBe('FAIL')
    await admin.put(`labs/${labId}`, { labAddr1: '1 Main Street' })
    expect(await stateOf(id, 'LAB_ADDRESS')).toBe('PASS')
    expect((await release(reqId, id)).status).toBe(200)
  })

  it('SOUT-06 ask for the address of each laboratory to which a test was referred, and the report names it', async () => {
    const { id: labId } = await test.given.lab()
    const { reqId, id } = await waiting(labId)
    const name = 'Cascade Reference Laboratory'
    const other = await test.given.lab({ name, addr1: null, director_name: null })
    const [{ id: instrumentId }] = await query(
      "insert into instrument (name, lab_id, protocol) values ('Elsewhere', $1, 'ASTM') returning id",
      [other.id],
    )
    await query("update requisition_test set instrument_id = $2 where requisition_id = $1 and result = '251'", [
      reqId,
      instrumentId,
    ])
    expect(await stateOf(id, 'CURRENT')).toBe('FAIL')
    const key = { 'idempotency-key': randomUUID() }
    const again = (await staff.post(`requisitions/${reqId}/reports/make`, {}, key)).body.data.id as number
    const refused = await release(reqId, again)
    expect([refused.status, refused.body.message]).toEqual([
      409,
      expect.stringContaining(`The record of ${name} has no complete address`),
    ])
    expect(await stateOf(again, 'CLIA_DIRECTOR')).toBe('WARN')
    await admin.put(`labs/${other.id}`, { labAddr1: '9 Hill Road' })
    expect((await release(reqId, again)).status).toBe(200)
    const { url } = (await staff.get(`reports/${again}/view?versionNo=1`)).body.data
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(await bytesOf(url))), { mergePages: true })
    expect(text).toContain(`Performed by ${name}`)
    expect(text).toContain(`${name}: 9 Hill Road`)
  })

  it('SOUT-06 fail without a specimen, and name the tab where to record it', async () => {
    const { id: labId } = await test.given.lab()
    const { reqId, id } = await waiting(labId)
    await query('update specimen set deleted_at = now() where requisition_id = $1', [reqId])
    const refused = await release(reqId, id)
    const failed = refused.body.current.checks.filter(({ state }: { state: string }) => state === 'FAIL')
    expect(failed).toMatchObject([{ code: 'SPECIMEN_SOURCE', tabSlug: 'specimens' }])
  })

  it('SOUT-06 say when the record has changed since the report was made', async () => {
    const { id: labId } = await test.given.lab()
    const { reqId, id } = await waiting(labId)
    await query("update requisition_test set reportable_result = '260' where requisition_id = $1 and result = '251'", [
      reqId,
    ])
    expect(await stateOf(id, 'CURRENT')).toBe('FAIL')
  })
})

describe('a signature', () => {
  it('SOUT-03 SOUT-04 releases the report; name, time and meaning are kept with the hash of exactly the file that is then shown', async () => {
    const labId = await signingLab()
    const { caller, sentCode } = await signer(labId)
    const { reqId, id } = await waiting(labId)
    const contentSha256 = await shown(caller, id)
    const signed = await approve(caller, id, { code: await sentCode() })
    expect([signed.status, signed.body.data]).toEqual([200, { signed: [id], refused: [] }])
    const { data } = (await staff.get(`reports/${id}/signatures`)).body
    expect(data).toMatchObject([
      {
        versionNo: 1,
        userId: caller.userId,
        qualifications: 'MD, FCAP',
        meaningCode: 'APPROVE',
        meaningDesc: 'Reviewed and approved',
        signedTz: 'America/New_York',
        contentSha256,
        signatureState: 'VALID',
        voidDate: null,
      },
    ])
    expect(data[0].signedDate).toMatch(/-0[45]:00$/)
    const { url } = (await staff.get(`reports/${id}/view?versionNo=1`)).body.data
    expect(sha256(await bytesOf(url))).toBe(data[0].fileSha256)
    const [report] = (await staff.get(`requisitions/${reqId}/reports`)).body.data
    expect([report.labQcStatusCode, report.isDownloadable]).toEqual(['RELEASE', 1])
  })

  it('SOUT-05 seals the released file with the meaning of the signature; a superseded copy has a seal of its own and the file stays', async () => {
    const labId = await signingLab()
    const { caller, sentCode } = await signer(labId)
    const { reqId, id } = await waiting(labId)
    await approve(caller, id, { code: await sentCode() })
    const viewed = async () => bytesOf((await staff.get(`reports/${id}/view?versionNo=1`)).body.data.url)
    const sealsOf = (pdf: Buffer) =>
      [...pdf.toString('latin1').matchAll(/\/ByteRange \[(\d+) (\d+) (\d+) (\d+) *\]/g)].map(([, ...parts]) => {
        const [from = 0, , next = 0, length = 0] = parts.map(Number)
        return [from, next + length]
      })
    const released = await viewed()
    expect(sealsOf(released)).toEqual([[0, released.length]])
    expect(released.toString('latin1')).toContain('/Reason (Reviewed and approved)')
    const corrected = await staff.post(`requisitions/${reqId}/reports/${id}/corrections`, {
      correctionReason: 'Mixed up',
    })
    expect(corrected.status).toBe(200)
    const copy = await viewed()
    expect(sealsOf(copy)).toEqual([[0, copy.length]])
    expect(copy.toString('latin1')).toContain('superseded')
    const [{ fileSha256 }] = (await staff.get(`reports/${id}/signatures`)).body.data
    const [{ object_key }] = await query(
      'select object_key from stored_file f join report_signature s on s.file_id = f.id where s.report_id = $1',
      [id],
    )
    expect(sha256(await buffer(await test.services.store.get(object_key)))).toBe(fileSha256)
    expect([sha256(released), sha256(copy) === fileSha256]).toEqual([fileSha256, false])
  })

  it('SOUT-09 the dossier has every version byte for byte, its signatures, audit with hashes and seals, and a manifest with the hash of every other file', async () => {
    const labId = await signingLab()
    const { caller, sentCode } = await signer(labId)
    const { reqId, id } = await waiting(labId)
    await approve(caller, id, { code: await sentCode() })
    await staff.post(`requisitions/${reqId}/reports/${id}/corrections`, { correctionReason: 'Mixed up' })
    // Only rows of more than five minutes are sealed.
    await query(
      "begin; set local session_replication_role = replica; update audit_entry set at = at - interval '1 hour'; commit",
    )
    const folder = mkdtempSync(join(tmpdir(), 'seals-'))
    await sealAudit({ pool: test.database.owner, key: auditKey(test.services.config.secret), folder })
    const { status, body } = await staff.post(`requisitions/${reqId}/dossier`, {})
    expect(status).toBe(200)
    const files = new Map(Object.entries(await unzip(await bytesOf(body.data.url))))
    expect([...files.keys()].sort()).toEqual(
      ['dossier.json', 'dossier.pdf', 'manifest.json', `reports/${id}-v1.pdf`, `reports/${id}-v2.pdf`].sort(),
    )
    const manifest = JSON.parse(String(files.get('manifest.json')))
    expect(
      Object.fromEntries(manifest.files.map(({ name, sha256 }: { name: string; sha256: string }) => [name, sha256])),
    ).toEqual(
      Object.fromEntries(
        [...files].filter(([name]) => name !== 'manifest.json').map(([name, bytes]) => [name, sha256(bytes)]),
      ),
    )
    const dossier = JSON.parse(String(files.get('dossier.json')))
    expect(Object.keys(dossier)).toEqual(
      expect.arrayContaining([
        'requisition',
        'specimens',
        'results',
        'signatures',
        'deliveries',
        'calls',
        'corrections',
        'access',
        'audit',
      ]),
    )
    expect(dossier.signatures).toMatchObject([
      { signatureState: 'VOID', fileSha256: sha256(files.get(`reports/${id}-v1.pdf`) as Buffer) },
    ])
    expect(dossier.results.map(({ testCode }: { testCode: string }) => testCode)).toEqual(['CHOL', 'HDL'])
    expect(dossier.results[0].versions.at(-1)).toMatchObject({ result: dossier.results[0].result, replacedDate: null })
    expect(dossier.corrections).toMatchObject([{ reportId: id, versionNo: 2, reason: 'Mixed up' }])
    expect(dossier.audit.length).toBeGreaterThan(2)
    for (const { hash } of dossier.audit) expect(hash).toMatch(/^[0-9a-f]{64}$/)
    const [{ id: auditId, seal }] = dossier.audit
    expect(seal).toMatchObject({ hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect([seal.fromId <= auditId, auditId <= seal.toId]).toEqual([true, true])
    expect((await (await test.as('BILL')).post(`requisitions/${reqId}/dossier`, {})).status).toBe(403)
    expect((await staff.post('requisitions/999999/dossier', {})).status).toBe(404)
  })

  it('SOUT-03 of a review does not release; the approval then releases and both are kept', async () => {
    const labId = await signingLab()
    const [first, second] = [await signer(labId), await signer(labId)]
    const { reqId, id } = await waiting(labId)
    expect((await approve(first.caller, id, { meaningCode: 'REVIEW', code: await first.sentCode() })).status).toBe(200)
    expect((await release(reqId, id)).status).toBe(409)
    const again = await approve(first.caller, id, { meaningCode: 'REVIEW' })
    expect([again.status, again.body.current.refused[0].reason]).toEqual([409, expect.stringContaining('already')])
    expect((await approve(second.caller, id, { code: await second.sentCode() })).status).toBe(200)
    const { data } = (await staff.get(`reports/${id}/signatures`)).body
    expect(data.map(({ meaningCode }: { meaningCode: string }) => meaningCode)).toEqual(['REVIEW', 'APPROVE'])
  })

  it('SOUT-03 is refused report by report: other laboratory, department, changed content, failed check, signed already', async () => {
    const [labId, otherLab, narrowLab, openLab] = [
      await signingLab(),
      await signingLab(),
      await signingLab(),
      await signingLab(),
    ]
    const { caller, sentCode } = await signer(labId, openLab)
    const [department] = await query("select id from department where code <> 'LAB' limit 1")
    await grant(caller.userId, narrowLab, { deptIds: [department.id] })
    const [good, foreign, narrow, changed, failing] = [
      await waiting(labId),
      await waiting(otherLab),
      await waiting(narrowLab),
      await waiting(labId),
      await waiting(openLab),
    ]
    const all = [good, foreign, narrow, changed, failing]
    const reports = await Promise.all(
      all.map(async ({ id }) => ({ id, contentSha256: id === changed.id ? '0'.repeat(64) : await shown(caller, id) })),
    )
    await query('update lab set addr1 = null where id = $1', [openLab])
    reports[4] = { id: failing.id, contentSha256: await shown(caller, failing.id) }
    const body = { reports, meaningCode: 'APPROVE' }
    const dry = await caller.post('reports/sign', { ...body, dryRun: true })
    expect(dry.status).toBe(200)
    expect((await staff.get(`reports/${good.id}/signatures`)).body.data).toEqual([])
    const { data } = (await caller.post('reports/sign', { ...body, password, code: await sentCode() })).body
    expect(data).toEqual(dry.body.data)
    expect(data.signed).toEqual([good.id])
    const reasonOf = (id: number) => data.refused.find((one: { id: number }) => one.id === id)
    expect(reasonOf(foreign.id).reason).toContain('no right to sign')
    expect(reasonOf(narrow.id).reason).toContain('department')
    expect(reasonOf(changed.id)).toMatchObject({
      reason: expect.stringContaining('changed'),
      label: expect.stringContaining(`#${changed.reqId}`),
    })
    expect(reasonOf(failing.id).reason).toContain('address')
    const again = await caller.post('reports/sign', { ...body, reports: [reports[0]], password })
    expect([again.status, again.body.current.refused[0].reason]).toEqual([409, expect.stringContaining('already')])
    expect((await admin.post('reports/sign', { ...body, dryRun: true })).status).toBe(403)
  })

  it('SOUT-03 is refused when a result changes between opening and signing', async () => {
    const labId = await signingLab()
    const { caller, sentCode } = await signer(labId)
    const { reqId, id } = await waiting(labId)
    const contentSha256 = await shown(caller, id)
    await query("update requisition_test set reportable_result = '260' where requisition_id = $1 and result = '251'", [
      reqId,
    ])
    const refused = await caller.post('reports/sign', {
      reports: [{ id, contentSha256 }],
      meaningCode: 'APPROVE',
      password,
      code: await sentCode(),
    })
    expect([refused.status, refused.body.current.refused[0].reason]).toEqual([409, expect.stringContaining('changed')])
  })

  it('SOUT-03 SOUT-04 of a corrected version is AMEND only, and makes the earlier signature void at once', async () => {
    const labId = await signingLab()
    const { caller, sentCode } = await signer(labId)
    const { reqId, id } = await waiting(labId)
    const amend = await approve(caller, id, { meaningCode: 'AMEND', code: await sentCode() })
    expect(amend.body.current.refused[0].reason).toContain('corrected reports only')
    await approve(caller, id, { code: await sentCode() })
    await query(
      "update requisition_test set reportable_result = '252', result = '252', result_num = 252 where requisition_id = $1 and result = '251'",
      [reqId],
    )
    const corrected = await staff.post(`requisitions/${reqId}/reports/${id}/corrections`, {
      correctionReason: 'Typing error',
    })
    expect(corrected.status).toBe(200)
    const signatures = async () => (await staff.get(`reports/${id}/signatures`)).body.data
    expect(await signatures()).toMatchObject([
      { signatureState: 'VOID', voidReason: 'Version 2 replaces what was signed' },
    ])
    expect((await approve(caller, id)).body.current.refused[0].reason).toContain('AMEND only')
    expect((await approve(caller, id, { meaningCode: 'AMEND' })).status).toBe(200)
    expect(await signatures()).toMatchObject([
      { versionNo: 1, signatureState: 'VOID' },
      { versionNo: 2, signatureState: 'VALID', meaningCode: 'AMEND' },
    ])
  })

  it('signs a report once when two people sign it at the same moment', async () => {
    const labId = await signingLab()
    const people = [await signer(labId), await signer(labId)]
    const { id } = await waiting(labId)
    const codes = [await people[0]?.sentCode(), await people[1]?.sentCode()]
    const replies = await Promise.all(people.map(({ caller }, index) => approve(caller, id, { code: codes[index] })))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await staff.get(`reports/${id}/signatures`)).body.data).toHaveLength(1)
  })
})

describe('the components of a signature', () => {
  it('SOUT-14 are the password each time, and the second factor first and after 30 minutes without a signature', async () => {
    const labId = await signingLab()
    const { caller, sentCode } = await signer(labId)
    const [one, two, three] = [await waiting(labId), await waiting(labId), await waiting(labId)]
    const fieldOf = async (id: number, over: object) => {
      const { status, body } = await approve(caller, id, over)
      return [status, body.errors?.[0].field]
    }
    expect(await fieldOf(one.id, { password: 'wrong' })).toEqual([400, 'password'])
    expect(await fieldOf(one.id, { password: undefined })).toEqual([400, 'password'])
    expect(await fieldOf(one.id, {})).toEqual([400, 'code'])
    const code = await sentCode()
    expect(await fieldOf(one.id, { code: code === '000000' ? '000001' : '000000' })).toEqual([400, 'code'])
    expect(await fieldOf(one.id, { code })).toEqual([200, undefined])
    expect(await fieldOf(two.id, {})).toEqual([200, undefined])
    await query("update signing_session set signed_at = now() - interval '31 minutes'")
    expect(await fieldOf(three.id, {})).toEqual([400, 'code'])
    expect(await fieldOf(three.id, { code })).toEqual([400, 'code'])
  })

  it('SOUT-14 lock the account at the fifth wrong one with 423, end its sessions and notify administrators by mail and bell', async () => {
    const labId = await signingLab()
    const { caller, userName } = await signer(labId)
    const { id, reqId } = await waiting(labId)
    const contentSha256 = await shown(caller, id)
    const wrong = () =>
      caller.post('reports/sign', { reports: [{ id, contentSha256 }], meaningCode: 'APPROVE', password: 'wrong' })
    const statuses = []
    for (let count = 0; count < 5; count++) statuses.push((await wrong()).status)
    expect(statuses).toEqual([400, 400, 400, 400, 423])
    expect((await caller.get('sign_out')).status).toBe(408)
    const origin = { ip: '203.0.113.9', userAgent: undefined }
    await query("update identity_user set mfa_preference = 'OFF' where user_id = $1", [caller.userId])
    await expect(test.services.identity.signInDirectly(userName, password, origin)).rejects.toThrow('Too many failed')
    const [told] = await query(
      "select count(*)::int as mails from outbox_message where subject = 'An account was locked while signing'",
    )
    expect(told.mails).toBeGreaterThan(0)
    const bell = (await admin.get(`users/${admin.userId}/notifications`)).body.data
    expect(bell.find((row: { reqId: number }) => row.reqId === reqId)).toBeDefined()
  })

  it('SOUT-14 counts wrong passwords at sign-in with those at signing', async () => {
    const labId = await signingLab()
    const { caller, userName } = await signer(labId)
    const { id } = await waiting(labId)
    await query("update identity_user set mfa_preference = 'OFF' where user_id = $1", [caller.userId])
    for (let count = 0; count < 4; count++) await test.nobody.post('login', { userName, pwd: 'wrong' })
    expect((await approve(caller, id, { password: 'wrong' })).status).toBe(423)
  })
})

describe('audit:verify', () => {
  it('SOUT-04 names the version of a signature that was altered in its table, voided by hand, or whose file is another', async () => {
    const labId = await signingLab()
    const { caller, sentCode } = await signer(labId)
    const reports = [await waiting(labId), await waiting(labId), await waiting(labId), await waiting(labId)]
    let code: string | undefined = await sentCode()
    for (const { id } of reports) {
      expect((await approve(caller, id, { code })).status).toBe(200)
      code = undefined
    }
    const check = async () => (await verifySignatures(test.database.owner, test.services.store)).faults
    expect(await check()).toEqual([])
    const [altered, forged, voided, moved] = reports.map(({ id }) => id)
    await expect(query("update report_signature set signer_name = 'Nobody'")).rejects.toThrow()
    await query('alter table report_signature disable trigger report_signature_append_only')
    await query("update report_signature set signer_name = 'Nobody' where report_id = $1", [altered])
    await query(
      `update report_signature set content = jsonb_set(content, '{content,results,0,value}', '"999"') where report_id = $1`,
      [forged],
    )
    await query('alter table report_signature enable trigger report_signature_append_only')
    await query(
      "insert into report_signature_void (signature_id, reason) select id, 'by hand' from report_signature where report_id = $1",
      [voided],
    )
    const [file] = await query(
      'select f.object_key from report_signature s join stored_file f on f.id = s.file_id where s.report_id = $1',
      [moved],
    )
    await test.services.store.put(file.object_key, Buffer.from('%PDF-1.4 another'), 'application/pdf')
    expect(await check()).toEqual([altered, forged, voided, moved].map((id) => `signature: report ${id} version 1`))
  })
})
