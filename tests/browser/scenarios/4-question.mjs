// A question waits in every tab, and one answer settles it.

export async function a_question_is_answered_in_the_other_tab(stage) {
  const [a, b] = await stage.twoTabs();
  await a.say("ask me which colour");
  await stage.both((tab) => tab.question.getByText("Which way shall it go?").waitFor());
  await b.lookOver("question");
  await b.question.getByText("Thorough", { exact: true }).click();
  await b.press("Answer", b.question);
  await stage.both(async (tab) => {
    await tab.question.waitFor({ state: "detached" });
    await tab.reads("Your answer: Thorough");
    await tab.transcript.locator("dd").getByText("Thorough", { exact: true }).waitFor();
    await tab.seesTurnEnd(1);
  });
  await a.lookOver("question-answered");
}
