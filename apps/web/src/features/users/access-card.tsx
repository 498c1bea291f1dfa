import { accessReviewRoutes, type Explanation } from '@lis/contract/access-review.ts'
import type { User } from '@lis/contract/users.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { type FormEvent, useState } from 'react'
import { call } from '../../lib/api.ts'
import { events } from '../../lib/events.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { needsNotice } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Card } from '../../ui/card.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import { exportOutcome } from '../../ui/list-page/download-outcome.ts'
import { finishDownload } from '../../ui/list-page/export-all.tsx'
import { TextField } from '../../ui/text-field.tsx'

const Question = styled('form')({ display: 'flex', alignItems: 'end', gap: 8, marginBottom: 12 })
const Rules = styled('ul')({
  display: 'grid',
  gap: 8,
  margin: '12px 0 0',
  paddingLeft: 16,
  '& small': { display: 'block', color: 'var(--text-3)', overflowWrap: 'anywhere' },
})

const announce = (error: unknown) => {
  if (needsNotice(error)) events.emit('notice', { type: 'warning', message: (error as Error).message, cause: error })
}

/** Explains why this user may or may not open a requisition, by the rules that the server enforces. */
export const AccessCard = ({ user }: { user: User }) => {
  const [reqId, setReqId] = useState('')
  const [answer, setAnswer] = useState<{ reqId: string; data: Explanation } | null>(null)
  const [isBusy, whileBusy] = useBusy()
  const [isExporting, whileExporting] = useBusy()
  const ask = (event: FormEvent) => {
    event.preventDefault()
    void whileBusy(async () => {
      setAnswer(null)
      const record = `requisitions/${reqId.trim()}`
      const reply = await call(accessReviewRoutes.why, { params: { id: user.id }, query: { record } }).catch(announce)
      if (reply) setAnswer({ reqId: reqId.trim(), data: reply.data })
    })
  }
  const exportReview = () =>
    whileExporting(async () => {
      const reply = await call(accessReviewRoutes.export, { query: {} }).catch(announce)
      if (reply) finishDownload(exportOutcome(reply))
    })
  return (
    <Card
      title="Access"
      actions={
        <ActionButton isBusy={isExporting} onClick={exportReview}>
          Export access review
        </ActionButton>
      }
    >
      <Question onSubmit={ask} aria-label="Why may this person open a requisition?">
        <TextField
          label="Requisition"
          value={reqId}
          onChange={(event) => setReqId(event.target.value)}
          slotProps={{ input: { inputMode: 'numeric', maxLength: 15 } }}
        />
        <Button type="submit" disabled={isBusy || !/^\s*[1-9]\d*\s*$/.test(reqId)}>
          Explain
        </Button>
      </Question>
      {answer && (
        <>
          <Banner type={answer.data.isAllowed ? 'success' : 'warning'}>
            {user.userFirstName} {user.userLastName} {answer.data.isAllowed ? 'may' : 'may not'} open requisition #
            {answer.reqId}.
          </Banner>
          <Rules>
            {answer.data.rules.map(({ text, from }) => (
              <li key={from}>
                {text}
                <small>{from}</small>
              </li>
            ))}
          </Rules>
        </>
      )}
    </Card>
  )
}
