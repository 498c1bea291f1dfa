import { type Answers, choicesFor, type Question } from '@lis/contract/kit/questions.ts'
import Button from '@mui/material/Button'
import DialogActions from '@mui/material/DialogActions'
import DialogContent from '@mui/material/DialogContent'
import DialogTitle from '@mui/material/DialogTitle'
import { type ReactNode, useEffect, useId, useState } from 'react'
import { events, type PendingQuestions } from '../lib/events.ts'
import { Dialog } from './dialog.tsx'
import { Radio } from './form/toggles.tsx'
import { VisuallyHidden } from './table/table-frame.tsx'

/** What a question shows under its message, by question code. */
export type QuestionBodies = Readonly<Record<string, (question: Question) => ReactNode>>

/** Shows the server's questions before a save, one call at a time. Mounted once, at the root. */
export const QuestionProvider = ({ bodies = {}, children }: { bodies?: QuestionBodies; children: ReactNode }) => {
  const [waiting, setWaiting] = useState<readonly PendingQuestions[]>([])
  useEffect(() => events.on('question', (asked) => setWaiting((before) => [...before, asked])), [])
  const [first] = waiting
  const answer = (answers: Answers | null) => {
    first?.answer(answers)
    setWaiting((before) => before.slice(1))
  }
  return (
    <>
      {children}
      {first && <QuestionDialog questions={first.questions} bodies={bodies} onAnswer={answer} />}
    </>
  )
}

interface QuestionDialogProps {
  questions: readonly Question[]
  bodies: QuestionBodies
  onAnswer: (answers: Answers | null) => void
}

const QuestionDialog = ({ questions, bodies, onAnswer }: QuestionDialogProps) => {
  const id = useId()
  const [chosen, setChosen] = useState<Answers>(onlyChoices(questions))
  const [only] = questions
  const offered = only && questions.length === 1 ? choicesFor(only) : []
  const isChoiceOfButtons = offered.length > 1
  const isComplete = questions.every(({ code }) => chosen[code] !== undefined)
  const title = questions.find((question) => typeof question.title === 'string')?.title as string | undefined
  return (
    <Dialog
      open
      onClose={() => onAnswer(null)}
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      slotProps={{ paper: { sx: { maxWidth: 560 } } }}
    >
      <DialogTitle id={`${id}-title`}>{title ?? 'Please check before saving'}</DialogTitle>
      <DialogContent id={`${id}-text`}>
        {questions.map((question) => (
          <section key={question.code} style={{ overflowWrap: 'anywhere' }}>
            <p>{question.message}</p>
            {bodies[question.code]?.(question)}
            {!isChoiceOfButtons && choicesFor(question).length > 1 && (
              <fieldset style={{ border: 0, padding: 0, margin: '4px 0 8px' }}>
                <legend>
                  <VisuallyHidden>{question.message}</VisuallyHidden>
                </legend>
                {choicesFor(question).map(({ value, label }) => (
                  <div key={value}>
                    <Radio
                      label={label}
                      name={`${id}-${question.code}`}
                      checked={chosen[question.code] === value}
                      onChange={() => setChosen({ ...chosen, [question.code]: value })}
                    />
                  </div>
                ))}
              </fieldset>
            )}
          </section>
        ))}
      </DialogContent>
      <DialogActions sx={{ flexWrap: 'wrap' }}>
        {/* The safe choice has the focus and is the filled button, unless a question puts nothing forward. */}
        <Button
          autoFocus
          variant={questions.some(({ hasNoDefault }) => hasNoDefault) ? 'text' : 'contained'}
          onClick={() => onAnswer(null)}
        >
          Cancel
        </Button>
        {isChoiceOfButtons && only ? (
          offered.map(({ value, label }) => (
            <Button key={value} variant="outlined" onClick={() => onAnswer({ [only.code]: value })}>
              {label}
            </Button>
          ))
        ) : (
          <Button variant="outlined" disabled={!isComplete} onClick={() => onAnswer(chosen)}>
            {commonLabel(questions)}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  )
}

/** A question with a single choice is answered by pressing the button. */
const onlyChoices = (questions: readonly Question[]): Answers =>
  Object.fromEntries(
    questions.flatMap((question) => {
      const [choice, ...others] = choicesFor(question)
      return choice && others.length === 0 ? [[question.code, choice.value]] : []
    }),
  )

const commonLabel = (questions: readonly Question[]): string => {
  const labels = new Set(questions.flatMap((question) => choicesFor(question).map(({ label }) => label)))
  const [label = 'Continue'] = labels
  return labels.size === 1 ? label : 'Continue'
}
