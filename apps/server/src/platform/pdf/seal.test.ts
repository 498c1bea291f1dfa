import { execFileSync } from 'node:child_process'
import { createHash, verify, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import forge from 'node-forge'
import PDFDocument from 'pdfkit'
import { beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../config.ts'
import { openReportSeal, type ReportSeal } from './seal.ts'
import { addSealPlace } from './seal-place.ts'

const folder = mkdtempSync(join(tmpdir(), 'seal-'))
const log = { warn: () => undefined }
let seal: ReportSeal
let sealed: Buffer

const pdfWithPlace = () =>
  new Promise<Buffer>((done, fail) => {
    const page = new PDFDocument({ bufferPages: true })
    const chunks: Buffer[] = []
    page.on('data', (chunk: Buffer) => chunks.push(chunk))
    page.once('end', () => done(Buffer.concat(chunks)))
    page.once('error', fail)
    page.text('Cholesterol 251')
    addSealPlace(page, { reason: 'Reviewed and approved', name: 'Main Laboratory', at: new Date() })
    page.end()
  })

beforeAll(async () => {
  seal = (await openReportSeal(readConfig({ LIS_DATA_DIR: folder, LIS_DEMO: '1' }), log)) as ReportSeal
  sealed = await seal.seal(await pdfWithPlace(), new Date())
})

/** The parts of the file that the seal covers, and the CMS message in between. */
const partsOf = (pdf: Buffer) => {
  const [, a, b, c, d] = /\/ByteRange \[(\d+) (\d+) (\d+) (\d+)\s*\]/.exec(pdf.toString('latin1')) as RegExpExecArray
  const [from, length, next, rest] = [a, b, c, d].map(Number) as [number, number, number, number]
  const hex = pdf.subarray(length + 1, next - 1).toString('latin1')
  const covered = Buffer.concat([pdf.subarray(from, length), pdf.subarray(next, next + rest)])
  return { range: { from, length, next, rest }, covered, cms: Buffer.from(hex, 'hex') }
}

/** By another library than the one that makes it: the digest of what is covered, and the signature over the attributes. */
const isIntact = (pdf: Buffer): boolean => {
  const { covered, cms } = partsOf(pdf)
  const message = forge.pkcs7.messageFromAsn1(
    forge.asn1.fromDer(cms.toString('binary'), { parseAllBytes: false } as never),
  ) as unknown as { certificates: forge.pki.Certificate[]; rawCapture: Record<string, never> }
  const { authenticatedAttributes, signature } = message.rawCapture as unknown as {
    authenticatedAttributes: forge.asn1.Asn1[]
    signature: string
  }
  const { SET, OCTETSTRING } = forge.asn1.Type
  const attributes = forge.asn1.create(forge.asn1.Class.UNIVERSAL, SET, true, authenticatedAttributes)
  const signed = Buffer.from(forge.asn1.toDer(attributes).getBytes(), 'binary')
  const digest = createHash('sha256').update(covered).digest()
  const marked = Buffer.concat([Buffer.from([OCTETSTRING, digest.length]), digest])
  const own = new X509Certificate(forge.pki.certificateToPem(message.certificates[0] as forge.pki.Certificate))
  return signed.includes(marked) && verify('sha256', signed, own.publicKey, Buffer.from(signature, 'binary'))
}

describe('the seal of a report', () => {
  it('SOUT-05 covers the file from its first to its last byte without its own contents, and names its reason', () => {
    const { range } = partsOf(sealed)
    expect([range.from, range.next + range.rest]).toEqual([0, sealed.length])
    const text = sealed.toString('latin1')
    expect(text).toContain('/SubFilter /adbe.pkcs7.detached')
    expect(text).toContain('/Reason (Reviewed and approved)')
    expect(seal.subject).toContain('Demonstration')
  })

  it('SOUT-05 is intact for code that is not ours, and broken by one changed byte', () => {
    expect(isIntact(sealed)).toBe(true)
    const changed = Buffer.from(sealed)
    const at = changed.indexOf('/Info')
    changed[at + 1] = 'J'.charCodeAt(0)
    expect(isIntact(changed)).toBe(false)
  })

  it('SOUT-05 says when the certificate ends within 30 days or has expired', () => {
    expect(seal.warning()).toBeNull()
    const before = (days: number) => new Date(seal.validTo.getTime() - days * 86_400_000)
    expect(seal.warning(before(29))).toContain('expires on')
    expect(seal.warning(before(-1))).toContain('expired on')
  })

  it('SOUT-05 refuses to start with a certificate that cannot be opened', async () => {
    const file = join(folder, 'wrong.p12')
    writeFileSync(file, 'not a certificate')
    const config = readConfig({ LIS_DATA_DIR: folder, REPORT_CERT: file, REPORT_CERT_PASSWORD: 'x' })
    await expect(openReportSeal(config, log)).rejects.toThrow('REPORT_CERT')
  })

  describe.runIf(has('openssl', 'version'))('with a certificate of openssl', () => {
    const file = (name: string) => join(folder, name)
    const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
    const certificate = (name: string, ...more: string[]) => {
      openssl(
        'req',
        '-x509',
        '-nodes',
        '-days',
        '400',
        '-subj',
        `/CN=${name}`,
        '-keyout',
        `${name}.key`,
        '-out',
        `${name}.crt`,
        ...more,
      )
      openssl(
        'pkcs12',
        '-export',
        '-inkey',
        `${name}.key`,
        '-in',
        `${name}.crt`,
        '-out',
        `${name}.p12`,
        '-passout',
        'pass:secret',
      )
    }
    const sealWith = async (name: string, settings: object = {}) => {
      const config = {
        LIS_DATA_DIR: folder,
        REPORT_CERT: file(`${name}.p12`),
        REPORT_CERT_PASSWORD: 'secret',
        ...settings,
      }
      const opened = (await openReportSeal(readConfig(config), log)) as ReportSeal
      return opened.seal(await pdfWithPlace(), new Date())
    }
    const verifies = (name: string, pdf: Buffer) => {
      const { covered, cms } = partsOf(pdf)
      writeFileSync(file('covered'), covered)
      writeFileSync(file('cms'), cms)
      return openssl(
        'cms',
        '-verify',
        '-inform',
        'DER',
        '-binary',
        '-in',
        'cms',
        '-content',
        'covered',
        '-CAfile',
        `${name}.crt`,
        '-purpose',
        'any',
        '-out',
        'checked',
      )
    }

    it.each([
      ['rsa', ['-newkey', 'rsa:2048']],
      ['ec', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']],
    ])('SOUT-05 openssl accepts the seal of an %s key, and not one of a changed file', async (name, key) => {
      certificate(name, ...key)
      const pdf = await sealWith(name)
      expect(() => verifies(name, pdf)).not.toThrow()
      const changed = Buffer.from(pdf)
      changed[changed.indexOf('/Info') + 1] = 'J'.charCodeAt(0)
      expect(() => verifies(name, changed)).toThrow()
    })

    it('SOUT-05 carries a time stamp of the authority, and does without one while it does not answer', async () => {
      certificate('tsa', '-newkey', 'rsa:2048', '-addext', 'extendedKeyUsage=critical,timeStamping')
      writeFileSync(
        file('tsa.cnf'),
        `[tsa]\nserial=${file('serial')}\nsigner_cert=${file('tsa.crt')}\nsigner_key=${file('tsa.key')}\nsigner_digest=sha256\ndefault_policy=1.2.3.4\ndigests=sha256\naccuracy=secs:1\n`,
      )
      const authority = createServer(async (request, reply) => {
        const parts: Buffer[] = []
        for await (const part of request) parts.push(part)
        writeFileSync(file('query'), Buffer.concat(parts))
        openssl('ts', '-reply', '-config', 'tsa.cnf', '-section', 'tsa', '-queryfile', 'query', '-out', 'answer')
        reply.end(readFileSync(file('answer')))
      })
      await new Promise<void>((done) => authority.listen(0, done))
      const { port } = authority.address() as { port: number }
      certificate('stamped', '-newkey', 'rsa:2048')
      const REPORT_TSA_URL = `http://127.0.0.1:${port}/`
      const timeStamp = Buffer.from('060b2a864886f70d010910020e', 'hex')
      const stamped = await sealWith('stamped', { REPORT_TSA_URL })
      expect(partsOf(stamped).cms.includes(timeStamp)).toBe(true)
      expect(() => verifies('stamped', stamped)).not.toThrow()
      await new Promise((done) => authority.close(done))
      const without = await sealWith('stamped', { REPORT_TSA_URL })
      expect(partsOf(without).cms.includes(timeStamp)).toBe(false)
      expect(() => verifies('stamped', without)).not.toThrow()
    })
  })

  it.runIf(has('pdfsig', '-v'))('SOUT-05 is valid for pdfsig', () => {
    const file = join(folder, 'sealed.pdf')
    writeFileSync(file, sealed)
    const said = execFileSync('pdfsig', ['-nocert', file], { encoding: 'utf8' })
    expect(said).toContain('Signature is Valid')
    expect(said).toContain('Total document signed')
  })
})

function has(program: string, argument: string) {
  try {
    execFileSync(program, [argument], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
