//! Stop words: words without a meaning of their own, in the languages of most web pages.
//!
//! Their share tells prose from lists of names and links, and no keyword begins or ends with one. Other languages have none here.

use super::word_hash::WordHash;
use super::word_sets::WordSets;
use std::sync::LazyLock;

static STOP_WORDS: LazyLock<WordSets> = LazyLock::new(|| WordSets::new(std::iter::once(WORDS), 8192));

/// Whether a word is a stop word of one of the languages.
#[inline]
pub fn is_stop_word(word: WordHash) -> bool {
    STOP_WORDS.lists_of(word) != 0
}

const WORDS: &str = "
    a about above after again against all also although am an and any are as at be because been before being below between both but by can cannot
    could did do does doing done down during each either else even ever every few for from further get gets got had has have having he her here hers
    herself him himself his how however i if in into is it its itself just let like ll made make makes many may me might more most much must my
    myself neither no nor not now of off often on once one only or other others our ours out over own per quite rather re really same see shall she
    should since so some still such than that the their theirs them themselves then there these they this those though through thus to too under until up upon us use
    used using ve very via was we well were what when where whether which while who whom whose why will with within without would yes yet you
    your yours yourself
    ab dann gibt habe haben immer mal sowie aber alle als am an auch auf aus bei bin bis bist da damit das dass dein dem den denn der des die dies diese diesem diesen dieser dieses doch dort du durch
    ein eine einem einen einer eines er es euer für hat hatte hier ich ihr ihre im in ist ja jede jedem jeden jeder jedes kann kein keine können man mehr mein mit muss nach
    nicht noch nur ob oder ohne schon sehr sein seine sich sie sind so soll über um und uns unser unter vom von vor war was weil wenn wer werden wie wieder wir wird wo wurde wurden zu zum
    zur zwischen
    à au aux avec ce ces cet cette comme dans de des du elle elles en est et être eux il ils je la le les leur leurs lui ma mais me même mes moi mon ne nos notre nous on ont ou où par pas plus
    pour qu que qui sa sans se ses si son sont sur ta te tes toi ton tu un une vos votre vous été
    al algo como con cual cuando de del desde donde el ella ellas ellos en entre era es esa ese eso esta estas este esto estos está fue ha han hasta hay la las le les lo los más me mi mientras muy no
    nos o otra otro para pero por porque que quien se ser si sin sobre su sus también te tiene todo todos tu un una uno unos y ya yo
    a ao aos as até com como da das de dela dele depois do dos e ela elas ele eles em entre era essa esse esta este eu foi há isso isto já mais mas me mesmo meu minha muito na não nas nem no nos o os ou para
    pela pelo por qual quando que quem se sem ser seu seus só sua suas também te tem um uma você
    agli ai al alla alle anche ancora che chi ci come con così cui da dal dalla dei del della delle di dove e ed era gli ha hanno i il in io la le lei lo loro lui ma mi nei nel nella non o per perché
    più quando quella quello questa questo se sei si sono sua sul sulla suo tra tu un una uno
    aan al als bij dat de den der deze die dit door dus een en er geen had heb heeft het hij hoe hun ik in is je kan maar me meer met mijn naar niet nog nu of om onder ook op over te
    tot uit van veel voor was wat we wel werd wie wij wordt ze zich zij zijn zo
    at af alle blev da de dem den denne der deres det dette dig din du efter eller en er et for fra få ham han har hende her hos hun hvad hvis hvor i ikke ind jeg kan kom kun man med meget mig min mod ned
    når og også om op os over på selv sig sin skal som sådan til ud under var ved vi vil være att av den det en ett från för har hon inte jag mycket när och om på sig som till är var
    czy dla do i ich jak jako jest jego jej już lub ma na nie o od oraz po przez się są tak to tym w we wie z za ze że
    а без бы был была были было быть в вам вас во вот все всего вы где да для до его ее её если есть еще ещё же за и из или им их к как ко когда которые который кто ли мне мы на
    над не него нет ни но о об он она они оно от по под при с со так также такой там то того только ты у уже чем что чтобы эта эти это этого этот я
    și în să pe cu din la care este sunt pentru mai nu ca prin fi a al ale
    bir bu da de için ile ve veya çok daha gibi
    و في من على إلى عن أن هذا هذه التي الذي ما لا مع كل
    và của là các cho với trong một những được có không này
    的 了 是 我 这 也 把 被 你 他 她 它 们 与 及 或
    이 그 저 것 수 등 및 의 가 을 를 은 는 에";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_recognized() {
        let is = |word: &str| is_stop_word(WordHash::of(word));
        assert!(is("the") && is("für") && is("и") && is("的") && !is("harbour") && !is("港") && !is(""));
    }

    #[test]
    fn the_table_has_room() {
        assert!(WORDS.split_whitespace().count() * 3 < 8192);
    }
}
