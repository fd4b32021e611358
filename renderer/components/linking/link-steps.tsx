import classes from './linking.module.css'

export const LinkSteps = ({ steps }: { steps: string[] }) => (
  <ol className={classes.steps}>
    {steps.map((step) => (
      <li key={step}>{step}</li>
    ))}
  </ol>
)
